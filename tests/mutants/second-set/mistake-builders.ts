/**
 * Mistakes of organisers, written by hand by an author who had read the event format but not the checker. Each takes
 * one of the four event files, or a valid adaptation of one to a new conference, and makes a mistake that is typical
 * of copying a file, filling it in and being interrupted.
 */
export type EventId = 'afpicon2026' | 'chirurgia2026' | 'midzone2025' | 'pulmocon2025'
/** Changes a text; throws if the edited part is missing, so that no mistake silently stops being one. */
export type Edit = (text: string) => string

export type Mistake = {
  readonly name: string
  /** The file with the mistake; an adapted one is loaded with the other four under its own name. */
  readonly event: EventId
  readonly adapted: boolean
  readonly edit: Edit
  /** Fragments of further lines where an author would look, in addition to the edited lines. */
  readonly look: readonly string[]
  /** The damage to a delegate or to staff. */
  readonly damage: string
  /** The reason why no tool can find it. Undefined for a mistake that a checker is expected to find. */
  readonly unfindable?: string
}

export const changeText = (before: string, after: string, description: string): string => {
  if (before === after) throw new Error(`the edit changes nothing: ${description}`)
  return after
}
/** Replaces the first occurrence. */
export const replaceOne =
  (from: string, to: string): Edit =>
  (text) =>
    changeText(
      text,
      text.replace(from, () => to),
      from,
    )
/** Replaces every occurrence: the mistake is in the file and in the promises alike. */
export const replaceAll =
  (from: string, to: string): Edit =>
  (text) =>
    changeText(
      text,
      text.replaceAll(from, () => to),
      from,
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
  (a: string, b: string): Edit =>
  (text) => {
    const lines = text.split('\n')
    const [i, j] = [
      lines.findIndex((line) => line.includes(a)),
      lines.findIndex((line) => line.includes(b)),
    ]
    const [firstLine, secondLine] = [lines[i], lines[j]]
    if (firstLine === undefined || secondLine === undefined)
      throw new Error(`no line contains ${a} or ${b}`)
    return changeText(text, lines.with(i, secondLine).with(j, firstLine).join('\n'), a)
  }
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

export const createMistakes =
  (event: EventId) =>
  (name: string, edit: Edit, damage: string, ...otherLines: readonly string[]): Mistake => ({
    name,
    event,
    adapted: false,
    edit,
    look: otherLines,
    damage,
  })
export const createAdaptedMistakes =
  (event: EventId) =>
  (name: string, edit: Edit, damage: string, ...otherLines: readonly string[]): Mistake => ({
    name,
    event,
    adapted: true,
    edit,
    look: otherLines,
    damage,
  })
export const markUnfindable = (reason: string, mistake: Mistake): Mistake => ({
  ...mistake,
  unfindable: reason,
})

export const afpicon = createMistakes('afpicon2026')
export const chirurgia = createMistakes('chirurgia2026')
export const midzone = createMistakes('midzone2025')
export const pulmocon = createMistakes('pulmocon2025')
export const newAfpicon = createAdaptedMistakes('afpicon2026')
export const newMidzone = createAdaptedMistakes('midzone2025')

/** Creates mistakes in files that were copied from last year's, with one omission. */
