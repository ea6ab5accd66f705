/** Defines a `rollcall` command and the terminal that it uses. */
import type { Readable } from 'node:stream'
import type { Environment } from '../dependencies.ts'

/**
 * 0: done. 1: a problem was found (findings, no such user). 2: wrong usage. 3: a bug of ours. 75: a machine
 * problem that may be temporary.
 */
export type Status = 0 | 1 | 2 | 3 | 75
export type Command = {
  /** Printed by `--help`. */
  readonly help: string
  run(args: readonly string[], terminal: Terminal): Promise<Status>
}
export type Terminal = {
  print(text: string): void
  complain(text: string): void
  /** Typed or piped input; left out: standard input. */
  readonly input?: Readable & { readonly isTTY?: boolean }
  /** Returns the environment, or null after printing what is wrong with it: the command then exits with 2. */
  environment(): Environment | null
}
