package state

import (
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// The file holds four buckets:
//
//	oatta    schema: its version (4 bytes, little-endian); sealed: a text known to all, sealed, if the store is; position;
//	         scrub: present from when a stream is forgotten until its traces are
//	states   id of a stream -> its snapshot, sealed or not
//	names    id of a stream -> its name, sealed; empty in a store that is not
//	beside   id of a stream -> its companion, sealed or not, if it has one; not in version 1, whose files become version 2 when opened
const schemaVersion = 2

var (
	bucketMeta   = []byte("oatta")
	bucketStates = []byte("states")
	bucketNames  = []byte("names")
	bucketBeside = []byte("beside")

	keySchema   = []byte("schema")
	keySealed   = []byte("sealed")
	keyPosition = []byte("position")
	keyScrub    = []byte("scrub")
)

// begin makes the buckets of a new file, or holds those of an old one to what the options say.
func (s *Store) begin(tx *bbolt.Tx) error {
	meta := tx.Bucket(bucketMeta)
	if meta == nil {
		return s.found(tx)
	}
	version := meta.Get(keySchema)
	if len(version) != 4 || tx.Bucket(bucketStates) == nil || tx.Bucket(bucketNames) == nil {
		return errors.New("damaged: parts of its frame are missing")
	}
	if v := binary.LittleEndian.Uint32(version); v < 1 || v > schemaVersion {
		return fmt.Errorf("version %d: this program reads versions 1 to %d", v, schemaVersion)
	}
	if err := s.vault.admit(meta.Get(keySealed)); err != nil {
		return err
	}
	if err := renew(tx, meta); err != nil {
		return err
	}
	if stored := meta.Get(keyPosition); stored != nil {
		position, err := s.vault.open("position", stored)
		if err != nil {
			return fmt.Errorf("position: %w", err)
		}
		s.position = append(Position{}, position...) // never nil: there was a commit
	}
	return s.checkFirst(tx)
}

// renew gives a file of version 1 what it lacks. A program that knows version 1 only must not open it again: it would forget a
// stream and leave its companion.
func renew(tx *bbolt.Tx, meta *bbolt.Bucket) error {
	old := binary.LittleEndian.Uint32(meta.Get(keySchema)) < schemaVersion
	switch {
	case !old && tx.Bucket(bucketBeside) == nil:
		return errors.New("damaged: parts of its frame are missing")
	case !old:
		return nil
	}
	if _, err := tx.CreateBucketIfNotExists(bucketBeside); err != nil {
		return err
	}
	return meta.Put(keySchema, binary.LittleEndian.AppendUint32(nil, schemaVersion))
}

// found makes the buckets, unless the file is somebody else's.
func (s *Store) found(tx *bbolt.Tx) error {
	if name, _ := tx.Cursor().First(); name != nil {
		return fmt.Errorf("not a file of states: it holds a bucket %q", name)
	}
	var made [4]*bbolt.Bucket
	for i, name := range [][]byte{bucketMeta, bucketStates, bucketNames, bucketBeside} {
		b, err := tx.CreateBucket(name)
		if err != nil {
			return err
		}
		made[i] = b
	}
	mark, err := s.vault.mark()
	if err != nil {
		return err
	}
	if mark != nil {
		if err := made[0].Put(keySealed, mark); err != nil {
			return err
		}
	}
	return made[0].Put(keySchema, binary.LittleEndian.AppendUint32(nil, schemaVersion))
}

// checkFirst holds the first stored state to the settings: a wrong flag is told at once, not at the first item of some stream.
func (s *Store) checkFirst(tx *bbolt.Tx) error {
	id, data := tx.Bucket(bucketStates).Cursor().First()
	if id == nil || s.options.Classes == 0 {
		return nil
	}
	stream, err := s.vault.name(id, tx.Bucket(bucketNames).Get(id))
	if err != nil {
		return err
	}
	_, err = s.decode(stream, data)
	return err
}
