// Package cluster makes servers on several machines one: whichever is asked, the member that holds a stream's shard steps it.
//
// # Contract
//
//   - Members tell each other, once a second by NATS, who they are and which shards they hold. Whoever is not heard for five seconds is gone. Each
//     member computes from that alone who should hold which shard; there is no leader.
//   - A member lets go of a shard that should be another's as soon as that one is there: what is under way is committed and answered, what comes then
//     waits where it was asked. The other opens the shard when nobody that is heard holds it.
//   - That two members hold a shard at once, while a cut network gives them different views, does no harm: opening a shard writes its head
//     (package jetstore), and from then on nothing that the other does can be written, so that it answers nothing as a success. No lease and no clock
//     is trusted.
//   - Requests of one stream reach its member in the order in which they were asked at one member, and are stepped in that order. What was asked when
//     a shard moved is given to its new member; whether it was a step is never guessed: where that is not known, the client is told to ask again.
//
// Members and whoever else has the same rights in NATS trust each other: a subject is a member's door, and there is no key at it.
package cluster
