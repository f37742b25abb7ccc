# Tests of docs/samples/oatta.R: Rscript test_oatta.R oatta.R PROGRAM
args <- commandArgs(trailingOnly = TRUE)
source(args[1])
options(oatta.program = args[2])

q <- data.frame(fox = c(0.8, 0.45, 0.7), deer = c(0.2, 0.55, 0.3), row.names = c("a", "b", "c"))
p <- oatta_filter(q)
stopifnot(nrow(p) == 3, identical(rownames(p), rownames(q)), all(abs(p$`a:fox` + p$`a:deer` - 1) < 1e-9), identical(p$adapted_label, c("fox", "deer", "fox")))

apart <- oatta_filter(as.matrix(q), streams = c("x", "y", "x"), times = as.POSIXct("2026-05-01", tz = "UTC") + 60 * 1:3, smooth = TRUE)
stopifnot(identical(apart$stream, c("x", "y", "x")), all(apart$adapted_mode == "smoothed"))

refused <- tryCatch(oatta_filter(q, gate = "ajar"), error = conditionMessage)
stopifnot(grepl("gate", refused))
cat("R: OK\n")
