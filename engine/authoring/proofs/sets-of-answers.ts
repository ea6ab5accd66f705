/**
 * Sets of answers as boxes: one set of values per axis.
 *
 * A condition is a union of boxes. A table of rules is proved complete by subtracting its boxes
 * from the box of all answers. The result is exact: tests compare only with constants, so all
 * answers that share a value on an axis give the same results.
 */

/** The bits of the axes: one bit per value, at most 30 per word. */
export type Space = {
  readonly sizes: readonly number[]
  readonly offsets: readonly number[]
  readonly words: number
}
/** The bits of all axes, one after another. No axis is empty. */
export type Box = Int32Array
/** The number of operations left. A proof that needs more is abandoned. */
export type Budget = { remaining: number }

/** The maximum number of box operations in a proof (one or two seconds). A table that needs more is too large. */
export const MAX_OPERATIONS = 2_000_000
const BITS_PER_WORD = 30
const WORDS_PER_OPERATION = 16

export class TooLarge extends Error {}

/** Returns the result of `work`, or `otherwise` if its budget was exceeded. */
export function tryWithinBudget<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof TooLarge) return otherwise
    throw error
  }
}

export function createSpace(sizes: readonly number[]): Space {
  const offsets: number[] = []
  let words = 0
  for (const size of sizes) {
    offsets.push(words)
    words += Math.ceil(size / BITS_PER_WORD)
  }
  return { sizes, offsets, words }
}

/** Returns the box that contains the allowed values. Returns null if an axis has none. */
export function createBox(
  space: Space,
  isAllowed: (axis: number, value: number) => boolean,
): Box | null {
  const box = new Int32Array(space.words)
  for (let axis = 0; axis < space.sizes.length; axis += 1) {
    let hasValue = false
    for (let value = 0; value < (space.sizes[axis] ?? 0); value += 1)
      if (isAllowed(axis, value)) {
        hasValue = true
        const word = (space.offsets[axis] ?? 0) + Math.floor(value / BITS_PER_WORD)
        box[word] = (box[word] ?? 0) | (1 << (value % BITS_PER_WORD))
      }
    if (!hasValue) return null
  }
  return box
}

/** Returns true if a value of an axis is in the box. */
export function containsValue({ offsets }: Space, box: Box, axis: number, value: number): boolean {
  return (
    ((box[(offsets[axis] ?? 0) + Math.floor(value / BITS_PER_WORD)] ?? 0) &
      (1 << (value % BITS_PER_WORD))) !==
    0
  )
}

function getAxisEnd(space: Space, axis: number): number {
  return space.offsets[axis + 1] ?? space.words
}

function doBoxesOverlap(space: Space, a: Box, b: Box): boolean {
  for (let axis = 0; axis < space.sizes.length; axis += 1) {
    let sharedBits = 0
    for (let word = space.offsets[axis] ?? 0; word < getAxisEnd(space, axis); word += 1)
      sharedBits |= (a[word] ?? 0) & (b[word] ?? 0)
    if (sharedBits === 0) return false
  }
  return true
}

/** Returns the intersection of two unions, as boxes. */
export function intersect(
  space: Space,
  boxes: readonly Box[],
  others: readonly Box[],
  budget: Budget,
): readonly Box[] {
  return boxes.flatMap((a) =>
    others.flatMap((b) => {
      subtractOperation(budget, space)
      return doBoxesOverlap(space, a, b) ? [a.map((bits, word) => bits & (b[word] ?? 0))] : []
    }),
  )
}

/** Returns `from` without `covered`. Disjoint boxes remain disjoint. Throws TooLarge if the budget is exceeded. */
export function subtract(
  space: Space,
  from: readonly Box[],
  covered: readonly Box[],
  budget: Budget,
): readonly Box[] {
  return covered.reduce<readonly Box[]>(
    (rest, box) => rest.flatMap((entry) => subtractBox(space, entry, box, budget)),
    from,
  )
}

function subtractBox(space: Space, a: Box, b: Box, budget: Budget): readonly Box[] {
  subtractOperation(budget, space)
  if (!doBoxesOverlap(space, a, b)) return [a]
  const pieces: Box[] = []
  const remainder = a.slice()
  for (let axis = 0; axis < space.sizes.length; axis += 1) {
    const [from, to] = [space.offsets[axis] ?? 0, getAxisEnd(space, axis)]
    let outsideBits = 0
    for (let word = from; word < to; word += 1)
      outsideBits |= (remainder[word] ?? 0) & ~(b[word] ?? 0)
    if (outsideBits === 0) continue
    const chunk = remainder.slice()
    for (let word = from; word < to; word += 1) {
      chunk[word] = (remainder[word] ?? 0) & ~(b[word] ?? 0)
      remainder[word] = (remainder[word] ?? 0) & (b[word] ?? 0)
    }
    pieces.push(chunk)
  }
  return pieces
}

/** Deducts one operation from the budget. Large boxes cost more, because an operation reads every word of a box. */
function subtractOperation(budget: Budget, { words }: Space): void {
  budget.remaining -= 1 + Math.floor(words / WORDS_PER_OPERATION)
  if (budget.remaining < 0) throw new TooLarge()
}
