/** Makes test servers start their threads and child processes from the server's build, as in production. */
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import workerThreads from 'node:worker_threads'
import { SERVER_BUILD } from '../server/cli/build/stamp.ts'

// Every worker loads this file before its tests. Without it, each thread and child process would load hundreds of
// sources. `tests/run.js` has just built the server.

const SERVER_SOURCES = new URL('../server/', import.meta.url).href

const findBuiltFile = (file: string | URL): string | URL =>
  file instanceof URL && file.href.startsWith(SERVER_SOURCES)
    ? join(SERVER_BUILD.folder, `${basename(file.pathname, '.ts')}.js`)
    : file

class BuiltWorker extends workerThreads.Worker {
  constructor(file: string | URL, options?: workerThreads.WorkerOptions) {
    super(findBuiltFile(file), options)
  }
}

if (process.env['BUILT_THREADS'] === '1') {
  const { fork } = childProcess
  Object.assign(workerThreads, { Worker: BuiltWorker })
  Object.assign(childProcess, {
    fork: (file: string | URL, ...options: []) => fork(findBuiltFile(file), ...options),
  })
  syncBuiltinESMExports()
}
