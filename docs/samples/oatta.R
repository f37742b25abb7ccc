# From R: oatta_filter() passes a matrix or data frame of probabilities through the filter, oatta_run() classifies raw data; both give a data
# frame with a row an item. Base R alone; the program is `oatta` on the path, or option oatta.program.
#
#   source("oatta.R")
#   q <- data.frame(fox = c(0.8, 0.45, 0.7), deer = c(0.2, 0.55, 0.3))
#   oatta_filter(q, smooth = TRUE)
#   oatta_run("images", "pictures", metadata = "times.csv")
#
# Other arguments are flags of `oatta filter` and `oatta run`: smooth = TRUE is --smooth, long_gap = "2h" is --long-gap 2h.

oatta_flags <- function(...) {
  options <- list(...)
  values <- vapply(options, function(v) if (is.logical(v)) tolower(v) else as.character(v), "")
  if (length(values)) sprintf("--%s=%s", gsub("_", "-", names(values)), values) else character()
}

oatta_call <- function(arguments, out, partial = FALSE) {
  errors <- tempfile()
  on.exit(unlink(errors))
  code <- suppressWarnings(system2(getOption("oatta.program", "oatta"), shQuote(arguments), stdout = out, stderr = errors))
  said <- sub("^oatta: ", "", readLines(errors, warn = FALSE))
  if (code == 1 && partial) {
    warning(paste(said, collapse = "\n"), call. = FALSE)
  } else if (code != 0) {
    stop(paste(said, collapse = "\n"), call. = FALSE)
  }
}

# q: probabilities, a row an item in the order in which they came, a column a class. streams, times: one an item, or NULL.
oatta_filter <- function(q, streams = NULL, times = NULL, ...) {
  q <- as.data.frame(q)
  classes <- names(q)
  input <- tempfile(fileext = ".csv")
  output <- tempfile(fileext = ".csv")
  on.exit(unlink(c(input, output)))
  table <- data.frame(id = seq_len(nrow(q)), stream = if (is.null(streams)) "all" else as.character(streams))
  if (!is.null(times)) {
    table$time <- if (inherits(times, "POSIXt")) format(times, "%Y-%m-%dT%H:%M:%SZ", tz = "UTC") else as.character(times)
  }
  names(q) <- paste0("p:", classes)
  write.csv(cbind(table, format(q, digits = 17, trim = TRUE)), input, row.names = FALSE)
  oatta_call(c("filter", "--format=csv", "--on-error=stop", "--quiet", oatta_flags(...), input), output)
  answers <- read.csv(output, check.names = FALSE)
  answers <- answers[order(answers$id), ]
  rownames(answers) <- rownames(q)
  answers
}

# kind: images, motion, sleep or text. inputs: files or folders.
oatta_run <- function(kind, inputs, ...) {
  output <- tempfile(fileext = ".csv")
  on.exit(unlink(c(output, paste0(output, ".manifest.json"))))
  oatta_call(c("run", kind, "--format=csv", paste0("--output=", output), "--quiet", oatta_flags(...), "--", inputs), FALSE, partial = TRUE)
  read.csv(output, check.names = FALSE)
}
