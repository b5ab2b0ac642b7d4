// Package redisstore keeps runs in Redis 7 or later, or in Valkey: a single server, one behind sentinels, or
// a cluster. Give New a client, and eval.Options the Store.
//
// # Keys
//
// A run is one string, whose key is a prefix and the name of the run. Its first eight bytes are the revision,
// big-endian; the snapshot follows. The key expires when the run has not been saved for as long as
// Options.Keep says. Each run lies in a slot of its own.
//
// Beside the runs, whose keys begin with the prefix, there are "outcomes:", a list of a run's records;
// "version:", which says whether runs are found by keys (see Store.Migrate); and for that a few pairs of a
// sorted set, "found:", and a hash, "finding:", which expire as runs do.
//
// # Saves
//
// A save is one script: it writes provided that the revision is the one that was loaded. The new revision is
// a random number that the client draws. So the script does no harm when it runs twice: the second time it
// finds its own revision, and says that it has written. A load is one command, too. A save that changes by
// which keys its run is found is followed by a second script, which does that.
//
// What a save survives is what the server is set to. With appendonly and appendfsync = everysec, which is
// usual, a server that dies forgets up to the last two seconds, and reminders may fire again; with
// appendfsync = always, nothing. A failover to a replica forgets what had not reached it. The server must not
// evict: maxmemory-policy is noeviction.
package redisstore
