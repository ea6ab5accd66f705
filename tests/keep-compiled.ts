/** Writes Node's compile cache regularly in each test worker. */
import { flushCompileCache } from 'node:module'

// Every worker loads this file before its tests. Node writes its compile cache when a process exits, but Vitest kills
// its workers. Without this file, each worker would compile the engine, the server and the packages again.

const INTERVAL_MS = 3000
setInterval(flushCompileCache, INTERVAL_MS).unref()
