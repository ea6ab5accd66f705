/**
 * Mistakes of organisers, written by hand by someone who had read the event format and not the
 * checker. Each takes one of the four event files, or a sound adaptation of one to a new conference,
 * and does to it what people do when they copy a file, fill it in and are called to the phone.
 */
export type EventId = 'afpicon2026' | 'chirurgia2026' | 'midzone2025' | 'pulmocon2025'
/** A text to another one; throws when the place it edits is not there, so that no mistake rots into none. */
export type Edit = (text: string) => string

export type Mistake = {
  readonly name: string
  /** The file it is made in; an adapted one stands beside the other four under a name of its own. */
  readonly event: EventId
  readonly adapted: boolean
  readonly edit: Edit
  /** Fragments of lines where an author would look too, besides the lines that the edit touches. */
  readonly look: readonly string[]
  /** What would have become of a delegate or of the office. */
  readonly harm: string
  /** Why no tool can know; undefined for a mistake that a checker is expected to find. */
  readonly unfindable?: string
}

export const changed = (before: string, after: string, what: string): string => {
  if (before === after) throw new Error(`the edit changes nothing: ${what}`)
  return after
}
/** The first place. */
export const one =
  (from: string, to: string): Edit =>
  (text) =>
    changed(
      text,
      text.replace(from, () => to),
      from,
    )
/** Every place: the slip is made above and in the promises alike. */
export const all =
  (from: string, to: string): Edit =>
  (text) =>
    changed(
      text,
      text.replaceAll(from, () => to),
      from,
    )
/** Leaves out the first line that holds the fragment. */
export const drop =
  (part: string): Edit =>
  (text) => {
    const lines = text.split('\n')
    const at = lines.findIndex((line) => line.includes(part))
    if (at < 0) throw new Error(`no line holds ${part}`)
    return lines.toSpliced(at, 1).join('\n')
  }
/** Puts lines after the first line that holds the fragment. */
export const below =
  (part: string, ...more: readonly string[]): Edit =>
  (text) => {
    const lines = text.split('\n')
    const at = lines.findIndex((line) => line.includes(part))
    if (at < 0) throw new Error(`no line holds ${part}`)
    return lines.toSpliced(at + 1, 0, ...more).join('\n')
  }
/** Exchanges the first lines that hold the two fragments. */
export const exchange =
  (a: string, b: string): Edit =>
  (text) => {
    const lines = text.split('\n')
    const [i, j] = [
      lines.findIndex((line) => line.includes(a)),
      lines.findIndex((line) => line.includes(b)),
    ]
    const [first, second] = [lines[i], lines[j]]
    if (first === undefined || second === undefined) throw new Error(`no line holds ${a} or ${b}`)
    return changed(text, lines.with(i, second).with(j, first).join('\n'), a)
  }
export const steps =
  (...edits: readonly Edit[]): Edit =>
  (text) =>
    edits.reduce((made, edit) => edit(made), text)

/** Sound adaptations of two files to next year's conferences: what a careful organiser ends up with. */
export const adaptations: Readonly<
  Partial<Record<EventId, { readonly id: string; readonly edit: Edit }>>
> = {
  afpicon2026: {
    id: 'afpimeet2027',
    edit: steps(
      all('2026', '2027'),
      all('2025', '2026'),
      all('afpicon', 'afpimeet'),
      one('prefix: AFPI', 'prefix: AFPM'),
      one('The Spice Route', 'The Tea Route'),
      one('[AFPI,', '[AFPM,'),
    ),
  },
  midzone2025: {
    id: 'northzone2026',
    edit: steps(
      all('2025', '2026'),
      all('midzone', 'northzone'),
      all('Mid Zone', 'North Zone'),
      all('MIDZ', 'NORZ'),
      one('venue: Kochi', 'venue: Kozhikode'),
    ),
  },
}

export const in_ =
  (event: EventId) =>
  (name: string, edit: Edit, harm: string, ...look: readonly string[]): Mistake => ({
    name,
    event,
    adapted: false,
    edit,
    look,
    harm,
  })
export const adapting =
  (event: EventId) =>
  (name: string, edit: Edit, harm: string, ...look: readonly string[]): Mistake => ({
    name,
    event,
    adapted: true,
    edit,
    look,
    harm,
  })
export const nobodyKnows = (why: string, mistake: Mistake): Mistake => ({
  ...mistake,
  unfindable: why,
})

export const afpicon = in_('afpicon2026')
export const chirurgia = in_('chirurgia2026')
export const midzone = in_('midzone2025')
export const pulmocon = in_('pulmocon2025')
export const newAfpicon = adapting('afpicon2026')
export const newMidzone = adapting('midzone2025')

/** Copied from last year's file, and one thing forgotten. */
