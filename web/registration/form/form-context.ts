/** What the parts of the form know of each other beside what RJSF hands them. */
import { createContext } from 'react'
import type { Field, PublicEvent, TariffAnswer } from '../../../engine/index.ts'
import type { Proofs } from '../uploads/upload-progress.ts'

/**
 * What the widgets know beside RJSF's props. Each context changes on its own occasion, so that a
 * keystroke re-renders one input and a switch only what it shows or hides.
 */

/** Constant for one event; handed through RJSF's registry. */
export type FormConstants = {
  readonly event: PublicEvent
  /** By id; what is asked of each person as `companions.age`. */
  readonly fields: ReadonlyMap<string, Field>
  /** Files stay outside form data. */
  readonly proofs: Proofs
}

/** Fields seen now. */
export const Shown = createContext<ReadonlySet<string>>(new Set())
/** Fields that must be answered now; the rest say "(optional)". */
export const Must = createContext<ReadonlySet<string>>(new Set())
/** Today's prices beside the categories; null until they are here. */
export const Prices = createContext<TariffAnswer | null>(null)
/** What is said beside an option besides its label: what it costs, or why it cannot be chosen now. */
export type Mark = {
  /** Null: not on sale today. */
  readonly price?: string | null
  /** How many places are left. */
  readonly left?: string
  /** No place is left, in the event file's words. */
  readonly full?: string
  /** What a roll says of the answer. */
  readonly said?: string
}
/** By field and option, `workshops.ecmo`, of what is sold besides the registration or has places; by field, of rolls. */
export const Marks = createContext<ReadonlyMap<string, Mark>>(new Map())
/** How far each section is, in the event's order. */
export type SectionState = 'open' | 'complete' | 'wrong'
export const Progress = createContext<readonly SectionState[]>([])
/** A page of the form without questions. */
export const NO_SECTION = -1
/** The only section seen now, by its place in the event; null: all of them. */
export const OnPage = createContext<number | null>(null)
