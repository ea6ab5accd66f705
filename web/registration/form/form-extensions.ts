/**
 * The interface for form extensions, and the empty extensions of a plain form.
 * Events that sell more than a registration, or have list fields, load the full extensions
 * (registration-page-with-items-and-codes.tsx).
 */
import type { FormProps } from '@rjsf/core'
import type { UiSchema } from '@rjsf/utils'
import { useMemo } from 'react'
import type { ComponentType, ReactNode } from 'react'
import {
  getCurrency,
  EMPTY_CONTEXT,
  findCategory,
  listOfferedOptions,
} from '../../../engine/index.ts'
import type {
  Answers,
  PricingContext,
  FieldErrors,
  PublicEvent,
  Quote,
  RawAnswers,
} from '../../../engine/index.ts'
import type { TariffResponse } from '../../../engine/api.ts'
import type { ApiError } from '../../app/api-client.ts'
import { buildQuoteRows } from '../../ui/payment/quote-rows.tsx'
import type { OptionStatus } from './form-context.ts'
import { calculatePriceByTariff } from '../price/live-price.ts'
import type { PriceView, Pricing } from '../price/live-price.ts'
import type { SubmittedForm } from '../submit-registration.ts'
import { buildUiSchema } from './ui-schema.ts'

/**
 * The pricing context in addition to the answers (discount code, member records, availability), and functions that
 * load it.
 */
export type FormPricingContext = {
  readonly context: PricingContext
  /** Errors of answers that are not in their member list. */
  readonly errors: FieldErrors
  /** The member list's entry for an answer, by field. */
  readonly memberEntries: ReadonlyMap<string, string>
  /** The discount code to send, as it was typed. */
  readonly code: string | null
  /**
   * `startLookup` is called when a field with this answer loses focus, and returns whether a lookup
   * is in progress. `onAnswerChange` is called when an answer is edited.
   */
  readonly startLookup: (key: string, value: unknown) => boolean
  readonly onAnswerChange: (key: string) => void
  /** A member list lookup is in progress. */
  readonly isLookingUp: boolean
  /** Called when the server rejected the discount code on submit. */
  readonly showCodeError: (text: string) => void
  /** Clears all of this state. */
  readonly reset: () => void
  /** The discount code field, or null if the event has no discount codes. */
  readonly codeField: ReactNode
}

/** The current page of the form. A one-page form is on its first and last page. */
export type Paging = {
  /** Index of the section shown, `NO_SECTION` on a page without fields. Null if all are shown. */
  readonly section: number | null
  readonly isFirst: boolean
  readonly isLast: boolean
  /** Validates the page and opens the next one, instead of submitting. */
  readonly openNextPage: () => void
  /** The steps above the form. Null to show the steps of the event file. */
  readonly steps: ReactNode
  /** Content below the form: Back and Continue, and on the last page the answers. */
  readonly contentBelow: ReactNode
}

/**
 * An alternative that the server offers with an error. `newQuote` is the new bill, or null if the
 * bill is unchanged.
 */
export type Alternative = { readonly message: string; readonly newQuote: Quote | null }

export type FormExtensions = {
  /** Overrides for the form's fields, widgets and templates (rjsf-theme.tsx). */
  readonly overrides: Pick<FormProps<RawAnswers>, 'fields' | 'widgets' | 'templates'>
  readonly buildUiSchema: (event: PublicEvent) => UiSchema<RawAnswers>
  readonly pricing: Pricing
  readonly buildRows: typeof buildQuoteRows
  /** Texts next to options and below answers. */
  readonly buildOptionStatuses: (
    event: PublicEvent,
    tariff: TariffResponse,
    answers: Answers,
  ) => ReadonlyMap<string, OptionStatus>
  /** Notes below the bill: few seats left, or a category that differs from the one in the answers. */
  readonly priceNotes: (
    event: PublicEvent,
    answers: Answers,
    left: PricingContext['left'],
    /** The price above the notes, at the server's time. Null if there is none. */
    quote: Quote | null,
    now: string | undefined,
  ) => readonly string[]
  /** Label of the submit button, or null for the default. */
  readonly submitLabel: (event: PublicEvent, answers: Answers) => string | null
  /** Whether the bill lines include the category. */
  readonly hasCategoryInRows: boolean
  /** Provides the pricing context. `initialCode` is the discount code of the draft. */
  readonly PricingContextProvider: (props: {
    readonly event: PublicEvent
    readonly tariff: TariffResponse | null
    readonly initialCode: string | null
    readonly children: (context: FormPricingContext) => ReactNode
  }) => ReactNode
  /** Shows the form page by page. `attempts` counts the failed submissions. */
  readonly Paged: (props: {
    readonly event: PublicEvent
    readonly form: SubmittedForm & {
      /** The number of times that all answers have been replaced. */
      readonly replacements: number
      readonly errors: FieldErrors
      readonly validateAnswers: (only?: readonly string[]) => string | null
    }
    readonly price: PriceView
    readonly attempts: number
    readonly children: (paging: Paging) => ReactNode
  }) => ReactNode
  /** Null if the error offers no alternative. */
  readonly readAlternative: (error: ApiError) => Alternative | null
  readonly SubmitAnywayDialog: ComponentType<{
    readonly event: PublicEvent
    readonly alternative: Alternative
    readonly oldQuote: Quote | null
    readonly onConfirm: () => void
    readonly onClose: () => void
  }>
}

const doNothing = () => {}
const NO_CONTEXT: FormPricingContext = {
  context: EMPTY_CONTEXT,
  errors: {},
  memberEntries: new Map(),
  code: null,
  startLookup: () => false,
  isLookingUp: false,
  onAnswerChange: doNothing,
  showCodeError: doNothing,
  reset: doNothing,
  codeField: null,
}
export const ONE_PAGE: Paging = {
  section: null,
  isFirst: true,
  isLast: true,
  openNextPage: doNothing,
  steps: null,
  contentBelow: null,
}
const NO_STATUSES: ReadonlyMap<string, OptionStatus> = new Map()
const NO_NOTES: readonly string[] = []

export const NO_EXTENSIONS: FormExtensions = {
  overrides: {},
  buildUiSchema,
  pricing: calculatePriceByTariff,
  buildRows: buildQuoteRows,
  buildOptionStatuses: () => NO_STATUSES,
  priceNotes: () => NO_NOTES,
  submitLabel: () => null,
  hasCategoryInRows: false,
  PricingContextProvider: ({ children }) => children(NO_CONTEXT),
  Paged: ({ children }) => children(ONE_PAGE),
  readAlternative: () => null,
  SubmitAnywayDialog: () => null,
}

/** Lists the payment methods that do not accept the category's currency. All other options accept any currency. */
function listHiddenMethods(
  event: PublicEvent,
  answers: Answers,
): readonly (readonly [string, OptionStatus])[] {
  const field = event.fields.find(({ options = [] }) =>
    options.some(({ currencies }) => currencies),
  )
  if (field === undefined) return []
  const offered = listOfferedOptions(field, getCurrency(event, findCategory(event, answers)))
  return (field.options ?? []).flatMap((option) =>
    offered.includes(option) ? [] : [[`${field.id}.${option.id}`, { isHidden: true }] as const],
  )
}

/**
 * Returns the same map while its content is equal, so that options re-render only when text next to them changes.
 */
export function useOptionStatuses(
  event: PublicEvent,
  tariff: TariffResponse | null,
  answers: Answers,
  memberEntries: ReadonlyMap<string, string>,
  { buildOptionStatuses }: FormExtensions,
): ReadonlyMap<string, OptionStatus> {
  const statuses = useMemo(
    () =>
      new Map<string, OptionStatus>([
        ...(tariff === null ? [] : buildOptionStatuses(event, tariff, answers)),
        ...listHiddenMethods(event, answers),
        ...[...memberEntries].map(([id, text]) => [id, { memberEntry: text }] as const),
      ]),
    [event, tariff, answers, memberEntries, buildOptionStatuses],
  )
  const key = JSON.stringify([...statuses])
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => statuses, [key])
}
