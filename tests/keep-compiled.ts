/**
 * Loaded by every worker before its tests. Node writes its compile cache when a process exits, but
 * Vitest kills its workers: without this, each worker compiles engine, server and packages again.
 */
import { flushCompileCache } from 'node:module'

const INTERVAL_MS = 3000
setInterval(flushCompileCache, INTERVAL_MS).unref()
