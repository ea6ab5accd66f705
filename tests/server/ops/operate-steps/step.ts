/** A step of the operator: its name, and its run. */
import type { Installation } from './installation.ts'

export type Step = {
  readonly name: string
  /** Throws if a check fails. `say` prints results. */
  run(installation: Installation, print: (line: string) => void): Promise<void>
}
