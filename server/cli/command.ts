/** What a command of `rollcall` is, and the terminal it speaks to. */
import type { Readable } from 'node:stream'
import type { Environment } from '../dependencies.ts'

/** 0: done. 1: it found something wrong (findings, no such admin). 2: it was asked wrongly. 3: our fault. 75: the machine's, and it may pass. */
export type Status = 0 | 1 | 2 | 3 | 75
export type Command = {
  /** One line for the list of commands. */
  readonly summary: string
  /** What `--help` prints. */
  readonly help: string
  run(args: readonly string[], terminal: Terminal): Promise<Status>
}
export type Terminal = {
  print(text: string): void
  complain(text: string): void
  /** What is typed or piped in; standard input when left out. */
  readonly input?: Readable & { readonly isTTY?: boolean }
  /** The environment, or null after saying what is wrong with it: answer 2 then. */
  environment(): Environment | null
}
