/** A step of the operator: what it does, in words, and how it says what it saw. */
import type { Place } from './installation.ts'

export type Step = {
  readonly name: string
  /** Throws where something is not as it should be. `say` prints what was seen. */
  run(place: Place, say: (line: string) => void): Promise<void>
}
