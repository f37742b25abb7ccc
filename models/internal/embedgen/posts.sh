#!/usr/bin/env bash
# Trains the embedded network for posts, tweet-sentiment, in FOLDER (default: out/tweet-sentiment), and puts it in models/embedded:
#
#	bash models/internal/embedgen/posts.sh [FOLDER]        # from the repository root; some two minutes on a core
#
# It needs the rows of Sentiment140 and the tokenizer of bert-base-uncased below OATTA_SHARED (default: ../shared), and the weights of MiniLM
# (all-MiniLM-L6-v2, Apache-2.0), which `make assets` fetches. The same machine and versions make the same bytes.
set -euo pipefail
shared=${OATTA_SHARED:-../shared}
folder=${1:-out/tweet-sentiment}
minilm=${OATTA_ASSETS:-$HOME/.cache/oatta/assets}/minilm
go build -o bin/oatta ./cmd/oatta
mkdir -p "$folder/pieces"
cp "$shared/data/tokenizer/bert-base-uncased-vocab.txt" "$folder/pieces/vocab.txt"
bin/oatta train text "$shared/data/text/sentiment140_subset.csv.gz" -o "$folder/training" --overwrite --name tweet-sentiment \
  --arch text_cnn --words "$minilm/model.safetensors" --tokenizer "$folder/pieces" --transforms html,cardiffnlp --max-tokens 64 --dropout 0.3 --word-dropout 0.1 \
  --batch 128 --lr 2e-3 --epochs 3 --test 231 --validation 4000 --seed 0 --threads 1
bin/oatta models convert "$folder/training/tweet-sentiment.onnx" --type f16 -o "$folder/tweet-sentiment.onnx" --overwrite
