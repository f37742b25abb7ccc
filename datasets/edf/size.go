package edf

import "fmt"

// settle reconciles what the header claims with the size of the file. The size is right about the records; where both lengths of the
// header are possible, the one that leaves no rest is.
func (h *Header) settle(size int64) error {
	claimed, want := h.bytes, fixedBytes+int64(len(h.Signals))*signalBytes
	h.bytes = want
	if claimed != want {
		// Data that begin later than the signals need are met; that is believed only if the size confirms it.
		if claimed > want && h.claimed > 0 && claimed+h.claimed*h.record == size {
			h.bytes = claimed
		}
		h.warn("header: length %d, but %d signals need %d: data are read from byte %d", claimed, len(h.Signals), want, h.bytes)
	}
	data := size - h.bytes
	h.Records = data / h.record
	rest := data % h.record
	if h.Records == 0 {
		return fmt.Errorf("no whole record: %d of %d bytes", data, h.record)
	}
	if h.Records != h.claimed {
		h.warn("header: number of records %d, but the file holds %d, which are read", h.claimed, h.Records)
	}
	if rest != 0 {
		h.warn("the last %d bytes are no whole record of %d and are ignored", rest, h.record)
	}
	return nil
}
