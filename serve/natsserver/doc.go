// Package natsserver runs a NATS server with JetStream inside the program, alone or as one of a cluster, so that nothing else has to be installed.
//
// What JetStream has acknowledged is on the disk (sync_interval: always), not only in the cache of the system as by NATS's default. Clients reach it
// within the process; on the network only where an address is given for them.
package natsserver
