package embedded

// settings are given on the server's command line, where they outrank
// postgresql.conf: nobody can open a port or switch fsync off by an edit there.
func (c *cluster) settings() []string {
	s := []string{
		"listen_addresses=",
		"port=" + port,
		"unix_socket_directories=" + c.socket,
		"unix_socket_permissions=0700",
		"timezone=UTC",
		"log_timezone=UTC",
		"logging_collector=off", // standard error is our log file
		"log_destination=stderr",
		// Short statements gain nothing from compilation, and it costs 100 ms
		// and more whenever the planner guesses a long one.
		"jit=off",
		// The triggers that keep the history of outcomes are in PL/pgSQL. Each
		// hook is a new server process, which would load it for itself: 0.7 ms.
		"shared_preload_libraries=plpgsql",
		"work_mem=64MB",
		"maintenance_work_mem=256MB",
	}
	if m := sharedMemoryType(); m != "" {
		s = append(s, "dynamic_shared_memory_type="+m)
	}
	switch c.kind {
	case durable:
		return append(s,
			"fsync=on", "synchronous_commit=on", "full_page_writes=on",
			"shared_buffers=256MB", "max_wal_size=2GB")
	case cache:
		// Many test binaries at once, each with its own pools.
		s = append(s, "shared_buffers=128MB", "max_connections=200")
		s = append(s, "autovacuum=on")
	case throwaway:
		// One program loads a few files and reads them once: it analyses what it
		// has loaded, and nothing is ever dead enough to be vacuumed.
		// It reads tables as a whole, which goes through a few buffers: what it
		// needs again is in the system's cache.
		s = append(s, "shared_buffers=32MB", "autovacuum=off", "bgwriter_lru_maxpages=0", "default_statistics_target=20",
			// The other core is busy with the program itself.
			"max_parallel_workers_per_gather=0", "max_parallel_maintenance_workers=0")
	}
	return append(s,
		"fsync=off", "synchronous_commit=off", "full_page_writes=off",
		"wal_level=minimal", "max_wal_senders=0",
		"max_wal_size=8GB", "checkpoint_timeout=1h")
}
