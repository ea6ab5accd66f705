/**
 * Mistakes that organisers make, written by hand by an author who knew the event format but not the checker's code.
 * Each changes one of the four event files, or a valid copy of such a file for a new conference, as if an organiser had
 * been interrupted while adapting it.
 */
export type EventId = 'afpicon2026' | 'chirurgia2026' | 'midzone2025' | 'pulmocon2025'
/** Edits a text. Throws if the part to edit is missing, because the result would then contain no mistake. */
export type Edit = (text: string) => string

export type Mistake = {
  readonly name: string
  /** The file with the mistake. An adapted file has its own name and is loaded with the other four. */
  readonly event: EventId
  readonly isAdapted: boolean
  readonly edit: Edit
  /** Fragments of other lines where an author would look, in addition to the edited lines. */
  readonly otherLines: readonly string[]
  /** What would have happened to delegates or staff. */
  readonly damage: string
  /** Why no tool can find the mistake. Undefined if the checker is expected to find it. */
  readonly undetectable?: string
}

/** Returns the text after an edit. Throws if the edit changed nothing. */
export const assertChanged = (before: string, after: string, description: string): string => {
  if (before === after) throw new Error(`the edit changes nothing: ${description}`)
  return after
}
/** Replaces the first occurrence. */
export const replaceOne =
  (oldText: string, newText: string): Edit =>
  (text) =>
    assertChanged(
      text,
      text.replace(oldText, () => newText),
      oldText,
    )
/** Replaces every occurrence, so that the mistake is in the file and in its promises. */
export const replaceAll =
  (oldText: string, newText: string): Edit =>
  (text) =>
    assertChanged(
      text,
      text.replaceAll(oldText, () => newText),
      oldText,
    )
/** Removes the first line that contains the fragment. */
export const removeLine =
  (part: string): Edit =>
  (text) => {
    const lines = text.split('\n')
    const index = lines.findIndex((line) => line.includes(part))
    if (index < 0) throw new Error(`no line contains ${part}`)
    return lines.toSpliced(index, 1).join('\n')
  }
/** Inserts lines after the first line that contains the fragment. */
export const insertBelow =
  (part: string, ...newLines: readonly string[]): Edit =>
  (text) => {
    const lines = text.split('\n')
    const index = lines.findIndex((line) => line.includes(part))
    if (index < 0) throw new Error(`no line contains ${part}`)
    return lines.toSpliced(index + 1, 0, ...newLines).join('\n')
  }
/** Swaps the first lines that contain the two fragments. */
export const swapLines =
  (firstPart: string, secondPart: string): Edit =>
  (text) => {
    const lines = text.split('\n')
    const [firstIndex, secondIndex] = [
      lines.findIndex((line) => line.includes(firstPart)),
      lines.findIndex((line) => line.includes(secondPart)),
    ]
    const [firstLine, secondLine] = [lines[firstIndex], lines[secondIndex]]
    if (firstLine === undefined || secondLine === undefined)
      throw new Error(`no line contains ${firstPart} or ${secondPart}`)
    return assertChanged(
      text,
      lines.with(firstIndex, secondLine).with(secondIndex, firstLine).join('\n'),
      firstPart,
    )
  }
/** Makes several edits, in order. */
export const combineEdits =
  (...edits: readonly Edit[]): Edit =>
  (text) =>
    edits.reduce((text, edit) => edit(text), text)

/** Valid adaptations of two files to next year's conferences, as a careful organiser makes them. */
export const adaptations: Readonly<
  Partial<Record<EventId, { readonly id: string; readonly edit: Edit }>>
> = {
  afpicon2026: {
    id: 'afpimeet2027',
    edit: combineEdits(
      replaceAll('2026', '2027'),
      replaceAll('2025', '2026'),
      replaceAll('afpicon', 'afpimeet'),
      replaceOne('prefix: AFPI', 'prefix: AFPM'),
      replaceOne('The Spice Route', 'The Tea Route'),
      replaceOne('[AFPI,', '[AFPM,'),
    ),
  },
  midzone2025: {
    id: 'northzone2026',
    edit: combineEdits(
      replaceAll('2025', '2026'),
      replaceAll('midzone', 'northzone'),
      replaceAll('Mid Zone', 'North Zone'),
      replaceAll('MIDZ', 'NORZ'),
      replaceOne('venue: Kochi', 'venue: Kozhikode'),
    ),
  },
}

/** Creates a builder for mistakes in one of the four event files. */
export const createMistakeBuilder =
  (event: EventId) =>
  (name: string, edit: Edit, damage: string, ...otherLines: readonly string[]): Mistake => ({
    name,
    event,
    isAdapted: false,
    edit,
    otherLines,
    damage,
  })
/** Creates a builder for mistakes in a file that was adapted from last year's, with one omission. */
export const createAdaptedMistakeBuilder =
  (event: EventId) =>
  (name: string, edit: Edit, damage: string, ...otherLines: readonly string[]): Mistake => ({
    name,
    event,
    isAdapted: true,
    edit,
    otherLines,
    damage,
  })
export const markUndetectable = (reason: string, mistake: Mistake): Mistake => ({
  ...mistake,
  undetectable: reason,
})

export const afpicon = createMistakeBuilder('afpicon2026')
export const chirurgia = createMistakeBuilder('chirurgia2026')
export const midzone = createMistakeBuilder('midzone2025')
export const pulmocon = createMistakeBuilder('pulmocon2025')
export const newAfpicon = createAdaptedMistakeBuilder('afpicon2026')
export const newMidzone = createAdaptedMistakeBuilder('midzone2025')
