// Package text is the place of the preprocessing of text: a string becomes the token ids, the attention mask and the segment
// ids of a BERT-like network, [tokens] each, equal to the reference tokenizer's, with truncation and padding as settings. It
// holds no code yet, so nothing here can be relied on; what it will promise is what the other preprocessing packages
// promise: the caller owns all slices, no state is kept between texts, and input that cannot be encoded is an error that
// names the place.
package text
