/**
 * The interface of form extensions, and the empty one of a plain form.
 * Events that sell more than a registration, or have list fields, load the full one
 * (registration-page-with-items-and-codes.tsx).
 */
import type { FormProps } from '@rjsf/core'
import type { UiSchema } from '@rjsf/utils'
import { useMemo } from 'react'
import type { ComponentType, ReactNode } from 'react'
import { EMPTY_CONTEXT } from '../../../engine/index.ts'
import type {
  Answers,
  PricingContext,
  FieldErrors,
  PublicEvent,
  Quote,
  RawAnswers,
} from '../../../engine/index.ts'
import type { TariffAnswer } from '../../../engine/api.ts'
import type { ApiError } from '../../app/api-client.ts'
import { quoteRows } from '../../ui/payment/quote-rows.tsx'
import type { Mark } from './form-context.ts'
import { byTariff } from '../price/live-price.ts'
import type { PriceView, Pricing } from '../price/live-price.ts'
import type { Filled } from '../submit-registration.ts'
import { uiOf } from './ui-schema.ts'

/**
 * Pricing context beyond the answers (discount code, member records, availability), and how it is
 * requested.
 */
export type Outside = {
  readonly facts: PricingContext
  /** Errors of answers that are not in their member list. */
  readonly errors: FieldErrors
  /** The member list's entry for an answer, by field. */
  readonly said: ReadonlyMap<string, string>
  /** The discount code to send, as it was typed. */
  readonly code: string | null
  /**
   * `left`: called when a field with this answer loses focus; returns whether a lookup is in
   * progress. `changed`: called when an answer is edited.
   */
  readonly left: (key: string, value: unknown) => boolean
  readonly changed: (key: string) => void
  /** A member list lookup is in progress. */
  readonly isAsking: boolean
  /** Called when the server rejected the discount code on submit. */
  readonly codeRefused: (text: string) => void
  /** Clears all of this state. */
  readonly reset: () => void
  /** The discount code field, or null if the event has no discount codes. */
  readonly box: ReactNode
}

/** The current page of the form. A one-page form is on its first and last page. */
export type Paging = {
  /** Index of the section shown; null: all sections; `NO_SECTION` on a page without fields. */
  readonly section: number | null
  readonly isFirst: boolean
  readonly isLast: boolean
  /** Validates the page and opens the next one, instead of submitting. */
  readonly next: () => void
  /** The steps above the form; null: the event's own. */
  readonly steps: ReactNode
  /** Content below the form: Back and Continue, and on the last page the answers. */
  readonly below: ReactNode
}

/**
 * An alternative that the server offers with a refusal. `now` is the new bill, or null if the bill
 * is unchanged.
 */
export type PendingConfirmation = { readonly message: string; readonly now: Quote | null }

export type More = {
  /** Overrides of the form's fields, widgets and templates (rjsf-theme.tsx). */
  readonly drawing: Pick<FormProps<RawAnswers>, 'fields' | 'widgets' | 'templates'>
  readonly uiOf: (event: PublicEvent) => UiSchema<RawAnswers>
  readonly pricing: Pricing
  readonly rows: typeof quoteRows
  /** Texts beside options and below answers. */
  readonly marksOf: (
    event: PublicEvent,
    tariff: TariffAnswer,
    answers: Answers,
  ) => ReadonlyMap<string, Mark>
  /**
   * Notes below the bill: few seats left, or a category that differs from the one in the answers.
   */
  readonly notesOf: (
    event: PublicEvent,
    answers: Answers,
    left: PricingContext['left'],
  ) => readonly string[]
  /** Label of the submit button, or null for the default. */
  readonly sendOf: (event: PublicEvent, answers: Answers) => string | null
  /** Whether the bill lines include the category. */
  readonly rowsNameCategory: boolean
  /** Provides the pricing context. `begin` is a discount code kept with the answers. */
  readonly Beside: (props: {
    readonly event: PublicEvent
    readonly tariff: TariffAnswer | null
    readonly begin: string | null
    readonly children: (outside: Outside) => ReactNode
  }) => ReactNode
  /** Shows the form page by page. `attempts` counts the failed submits. */
  readonly Paged: (props: {
    readonly event: PublicEvent
    readonly form: Filled & {
      /** Counts how often all answers were replaced at once. */
      readonly begun: number
      readonly errors: FieldErrors
      readonly check: (only?: readonly string[]) => string | null
    }
    readonly price: PriceView
    readonly attempts: number
    readonly children: (paging: Paging) => ReactNode
  }) => ReactNode
  /** Null: the refusal offers no alternative. */
  readonly askedBy: (error: ApiError) => PendingConfirmation | null
  readonly AskedAgain: ComponentType<{
    readonly event: PublicEvent
    readonly asked: PendingConfirmation
    readonly was: Quote | null
    readonly yes: () => void
    readonly back: () => void
  }>
}

const nothing = () => {}
const NOTHING: Outside = {
  facts: EMPTY_CONTEXT,
  errors: {},
  said: new Map(),
  code: null,
  left: () => false,
  isAsking: false,
  changed: nothing,
  codeRefused: nothing,
  reset: nothing,
  box: null,
}
export const ONE_PAGE: Paging = {
  section: null,
  isFirst: true,
  isLast: true,
  next: nothing,
  steps: null,
  below: null,
}
const NO_MARKS: ReadonlyMap<string, Mark> = new Map()
const NO_NOTES: readonly string[] = []

export const PLAIN: More = {
  drawing: {},
  uiOf,
  pricing: byTariff,
  rows: quoteRows,
  marksOf: () => NO_MARKS,
  notesOf: () => NO_NOTES,
  sendOf: () => null,
  rowsNameCategory: false,
  Beside: ({ children }) => children(NOTHING),
  Paged: ({ children }) => children(ONE_PAGE),
  askedBy: () => null,
  AskedAgain: () => null,
}

/**
 * Returns the same map while its content is equal, so that options re-render only when a text
 * beside them changes.
 */
export function useMarks(
  event: PublicEvent,
  tariff: TariffAnswer | null,
  answers: Answers,
  said: ReadonlyMap<string, string>,
  { marksOf }: More,
): ReadonlyMap<string, Mark> {
  const marks = useMemo(
    () =>
      new Map<string, Mark>([
        ...(tariff === null ? [] : marksOf(event, tariff, answers)),
        ...[...said].map(([id, text]) => [id, { said: text }] as const),
      ]),
    [event, tariff, answers, said, marksOf],
  )
  const key = JSON.stringify([...marks])
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => marks, [key])
}
