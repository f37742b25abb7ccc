package predict

// DropMask is dropMask, for tests that repeat passes one by one.
var DropMask = dropMask
