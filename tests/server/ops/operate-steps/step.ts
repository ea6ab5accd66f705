/** A step of the operator test: its name and its actions. */
import type { Installation } from './installation.ts'

export type Step = {
  readonly name: string
  /** Throws if a check fails. Reports results with `print`. */
  run(installation: Installation, print: (line: string) => void): Promise<void>
}
