// Package jetstore keeps the filters of many streams in NATS JetStream, for servers on several machines: what internal/state keeps in a file.
//
// # Contract
//
//   - A model's streams lie in one stream of JetStream, split into shards. A [Store] is a shard of a model, open at one member at a time. Each of
//     the server's streams is the last message of a subject, and so is the head of a shard, which says who holds it, how many streams there are, and
//     the position:
//
//     GROUP.MODEL.SHARD.head
//     GROUP.MODEL.SHARD.s.ID       filter, and companion: the answers that retries get
//     GROUP.MODEL.SHARD.s.ID.PART  what does not go into one message
//
//   - [Store.Commit] publishes everything that changed in one atomic batch, or in one message where that is all. Each message names the revision
//     of what it replaces (Nats-Expected-Last-Subject-Sequence), the head among them, so that the batch is refused as a whole if anyone else has
//     written since.
//
//   - [Group.Open] writes the head first, by the same rule. From there on no batch of an earlier holder can be written, whatever it believes; what it
//     wrote before is what the new holder reads. No clock and no lease has a part in that.
//
//   - Reads go to the leader of the JetStream stream, not to a replica that may lag. Where even the leader is behind, the next commit is refused.
//
//   - A commit of which it is not known whether it was written, as no answer came, ends the store, as one that was refused does: whoever opens the
//     shard again finds what is there. [Options.Lost] tells.
//
//   - A state that is larger than a message is cut into parts, which are messages of the same batch: they change together or not at all. No second
//     place, as an object store, has to agree with the first.
//
//   - With a key everything is sealed as in a file: states, companions, names and positions. The order and the sizes of what changes can be seen.
//
//   - JetStream keeps the bytes of what was replaced or removed in its files until it has use for their room: unlike those of a file, traces of
//     streams that are forgotten stay for a while. With a key they are of no use.
//
// Atomic batches need nats-server 2.12 or newer.
package jetstore
