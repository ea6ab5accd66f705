/** The React contexts shared by the parts of the form. */
import { createContext } from 'react'
import type { Field, PublicEvent } from '../../../engine/index.ts'
import type { TariffResponse } from '../../../engine/api.ts'
import type { DocumentUploads } from '../uploads/upload-progress.ts'

/**
 * Data that the widgets need in addition to RJSF's props. Each context changes separately, so that
 * a keystroke re-renders one input, and a switch re-renders only the fields it shows or hides.
 */

/** Constant for one event; passed through RJSF's registry. */
export type FormConstants = {
  readonly event: PublicEvent
  /** Keyed by id. A field in a list of people has a key such as `companions.age`. */
  readonly fields: ReadonlyMap<string, Field>
  /** Files are not part of the form data. */
  readonly uploads: DocumentUploads
}

/** Fields that are currently shown. */
export const ShownFields = createContext<ReadonlySet<string>>(new Set())
/** Fields that are currently required; the others are labelled "(optional)". */
export const RequiredFields = createContext<ReadonlySet<string>>(new Set())
/** Today's prices of the categories. Null until they are loaded. */
export const Prices = createContext<TariffResponse | null>(null)
/** Text next to an option's label: its price, or the reason why it is unavailable. */
export type OptionStatus = {
  /** Null if not on sale today. */
  readonly price?: string | null
  /** Number of seats left, as text. */
  readonly seatsLeftText?: string
  /** Text for "no seats left", from the event file. */
  readonly soldOutText?: string
  /** A payment method that does not accept the currency of the category is not shown. */
  readonly isHidden?: true
  /** The member list's entry for the answer. */
  readonly memberEntry?: string
}
/**
 * Keyed by field and option (`workshops.ecmo`) for items on sale and quotas; keyed by field for
 * member lists.
 */
export const OptionStatuses = createContext<ReadonlyMap<string, OptionStatus>>(new Map())
/** State of each section, in the event's order. */
export type SectionState = 'open' | 'complete' | 'wrong'
export const Progress = createContext<readonly SectionState[]>([])
/** The value of `CurrentSection` on a page without fields. */
export const NO_SECTION = -1
/** Index of the only section currently shown, or null if all are shown. */
export const CurrentSection = createContext<number | null>(null)
