/** Defines a `rollcall` command and the terminal that it uses. */
import type { Readable } from 'node:stream'
import type { Environment } from '../dependencies.ts'

/**
 * 0: done. 1: a problem was found (findings, an unknown user). 2: invalid usage. 3: internal error. 75: a problem with
 * the machine that may be temporary.
 */
export type Status = 0 | 1 | 2 | 3 | 75
export type Command = {
  /** Printed by `--help`. */
  readonly help: string
  run(args: readonly string[], terminal: Terminal): Promise<Status>
}
export type Terminal = {
  print(text: string): void
  printError(text: string): void
  /** Typed or piped input. Defaults to standard input. */
  readonly input?: Readable & { readonly isTTY?: boolean }
  /** The stream for progress: a redrawn line on a terminal, otherwise one line per step. Omitted in tests. */
  readonly progressStream?: NodeJS.WriteStream
  /** EVENTS_DIR, for commands that need no other variable. Defaults to events/ in the current folder. */
  readonly eventsDir?: string | undefined
  /** Returns the environment. If it is invalid, prints the errors and returns null; the exit status is then 2. */
  environment(): Environment | null
}

/** Returns a number with its noun: “1 file”, “2 files”. */
export const formatNumberOf = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`
