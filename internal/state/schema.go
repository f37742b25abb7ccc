package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"
)

// The file holds four buckets:
//
//	oatta    schema: its version (4 bytes, little-endian); sealed: a text known to all, sealed, if the store is; position;
//	         scrub: present from when a stream is forgotten until its traces are; census: how many keys the other buckets have, and which
//	states   id of a stream -> its snapshot, sealed or not
//	names    id of a stream -> its name, sealed; empty in a store that is not
//	beside   id of a stream -> its companion, sealed or not, if it has one
//
// What is not sealed ends in a checksum: snapshots have one of their own. Version 1 had no companions; versions 1 and 2 had no census, and no
// checksums of position and companions. Their files become version 3 when they are opened.
const schemaVersion = 3

var (
	bucketMeta   = []byte("oatta")
	bucketStates = []byte("states")
	bucketNames  = []byte("names")
	bucketBeside = []byte("beside")

	keySchema   = []byte("schema")
	keySealed   = []byte("sealed")
	keyPosition = []byte("position")
	keyScrub    = []byte("scrub")
	keyCensus   = []byte("census")

	buckets  = [][]byte{bucketMeta, bucketStates, bucketNames, bucketBeside}
	metaKeys = [][]byte{keySchema, keySealed, keyPosition, keyScrub, keyCensus}
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
	if err := s.vault.Admit(meta.Get(keySealed)); err != nil {
		return err
	}
	if err := onlyKnown(meta); err != nil {
		return err
	}
	if err := s.renew(tx, meta); err != nil {
		return err
	}
	if err := s.count(meta); err != nil {
		return err
	}
	if stored := meta.Get(keyPosition); stored != nil {
		position, err := s.vault.Open("position", stored)
		if err != nil {
			return fmt.Errorf("position: %w", err)
		}
		s.position = append(Position{}, position...) // never nil: there was a commit
	}
	return s.checkFirst(tx)
}

// onlyKnown refuses a key that no version has: one that was damaged would be as if it were not there.
func onlyKnown(meta *bbolt.Bucket) error {
	return meta.ForEach(func(key, _ []byte) error {
		if !slices.ContainsFunc(metaKeys, func(known []byte) bool { return bytes.Equal(known, key) }) {
			return fmt.Errorf("damaged: an entry %q in its frame", key)
		}
		return nil
	})
}

// count compares the streams that were found in the pages with those that were committed.
func (s *Store) count(meta *bbolt.Bucket) error {
	committed, err := decodeCensus(meta.Get(keyCensus))
	if err != nil {
		return err
	}
	switch found := s.census; {
	case found.states.n != committed.states.n:
		return fmt.Errorf("damaged: %d streams were committed, and %d are there", committed.states.n, found.states.n)
	case found != committed:
		return errors.New("damaged: the streams and companions that are there are not those that were committed")
	}
	return nil
}

// renew gives a file of an older version what it lacks. A program that knows that version only must not open it again: it would forget a
// stream and leave its companion, or not count it.
func (s *Store) renew(tx *bbolt.Tx, meta *bbolt.Bucket) error {
	version := binary.LittleEndian.Uint32(meta.Get(keySchema))
	switch {
	case version > 1 && tx.Bucket(bucketBeside) == nil:
		return errors.New("damaged: parts of its frame are missing")
	case version == schemaVersion:
		return nil
	case meta.Get(keyCensus) != nil:
		return fmt.Errorf("damaged: version %d counts no streams", version)
	}
	beside, err := tx.CreateBucketIfNotExists(bucketBeside)
	if err != nil {
		return err
	}
	if err := s.addChecksums(meta, beside); err != nil {
		return err
	}
	if err := meta.Put(keyCensus, s.census.encode()); err != nil {
		return err
	}
	return meta.Put(keySchema, binary.LittleEndian.AppendUint32(nil, schemaVersion))
}

// addChecksums seals anew what had none.
func (s *Store) addChecksums(meta, beside *bbolt.Bucket) error {
	if s.vault.Sealed() {
		return nil
	}
	if position := meta.Get(keyPosition); position != nil {
		sealed, err := s.vault.Seal("position", position)
		if err == nil {
			err = meta.Put(keyPosition, sealed)
		}
		if err != nil {
			return err
		}
	}
	var ids, values [][]byte // a bucket must not change while it is walked
	err := beside.ForEach(func(id, value []byte) error {
		name, err := s.vault.Name(id, nil)
		if err != nil {
			return err
		}
		sealed, err := s.vault.Seal("beside "+name, value)
		ids, values = append(ids, bytes.Clone(id)), append(values, sealed)
		return err
	})
	for i, id := range ids {
		if err == nil {
			err = beside.Put(id, values[i])
		}
	}
	return err
}

// found makes the buckets, unless the file is somebody else's.
func (s *Store) found(tx *bbolt.Tx) error {
	if name, _ := tx.Cursor().First(); name != nil {
		return fmt.Errorf("not a file of states: it holds a bucket %q", name)
	}
	var made [4]*bbolt.Bucket
	for i, name := range buckets {
		b, err := tx.CreateBucket(name)
		if err != nil {
			return err
		}
		made[i] = b
	}
	mark, err := s.vault.Mark()
	if err != nil {
		return err
	}
	if mark != nil {
		if err := made[0].Put(keySealed, mark); err != nil {
			return err
		}
	}
	if err := made[0].Put(keyCensus, census{}.encode()); err != nil {
		return err
	}
	return made[0].Put(keySchema, binary.LittleEndian.AppendUint32(nil, schemaVersion))
}

// checkFirst holds the first stored state to the settings: a wrong flag is told at once, not at the first item of some stream.
func (s *Store) checkFirst(tx *bbolt.Tx) error {
	id, data := tx.Bucket(bucketStates).Cursor().First()
	if id == nil || s.options.Classes == 0 {
		return nil
	}
	stream, err := s.vault.Name(id, tx.Bucket(bucketNames).Get(id))
	if err != nil {
		return err
	}
	_, err = s.decode(stream, data)
	return err
}
