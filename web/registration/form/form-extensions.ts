/**
 * What the form of an event needs that sells more than a registration, or asks for more than one answer
 * at a time. It is loaded for such events alone (extended-registration-page.tsx); for the others it is as empty as this.
 */
import type { FormProps } from '@rjsf/core'
import type { UiSchema } from '@rjsf/utils'
import { useMemo } from 'react'
import type { ComponentType, ReactNode } from 'react'
import { NO_FACTS } from '../../../engine/index.ts'
import type {
  Answers,
  Facts,
  FieldErrors,
  PublicEvent,
  Quote,
  RawAnswers,
  TariffAnswer,
} from '../../../engine/index.ts'
import type { ApiError } from '../../app/api-client.ts'
import { quoteRows } from '../../ui/payment/quote-rows.tsx'
import type { Mark } from './form-context.ts'
import { byTariff } from '../price/live-price.ts'
import type { PriceView, Pricing } from '../price/live-price.ts'
import type { Filled } from '../submit-registration.ts'
import { uiOf } from './ui-schema.ts'

/** What is known beside the answers, and how it is asked for. */
export type Outside = {
  readonly facts: Facts
  /** Of answers that stand on no roll. */
  readonly errors: FieldErrors
  /** What the roll says of an answer, by field. */
  readonly said: ReadonlyMap<string, string>
  /** The code that is sent, as it was typed. */
  readonly code: string | null
  /** Told that a question was left with this answer, says whether it is being asked about; told that an answer is being changed. */
  readonly left: (key: string, value: unknown) => boolean
  readonly changed: (key: string) => void
  /** A roll has been asked and has not answered yet. */
  readonly isAsking: boolean
  /** Told that the server would not take the code after all. */
  readonly codeRefused: (text: string) => void
  /** Forgets all of it. */
  readonly reset: () => void
  /** Where a code is typed; null: the event has none. */
  readonly box: ReactNode
}

/** Where in the form one is; a form of one page is on its first and last. */
export type Paging = {
  /** The section that is seen; null: all of them; on a page without questions `NO_SECTION`. */
  readonly section: number | null
  readonly isFirst: boolean
  readonly isLast: boolean
  /** Instead of sending: checks the page and turns it. */
  readonly next: () => void
  /** The steps above the form; null: the event's own. */
  readonly steps: ReactNode
  /** Below the form: back and on, and on the last page what was answered. */
  readonly below: ReactNode
}

/** A way on that the server offers with its "no"; `now` is the bill then, null: the same. */
export type Asked = { readonly message: string; readonly now: Quote | null }

export type More = {
  /** Laid over what the form is drawn with (rjsf-theme.tsx). */
  readonly drawing: Pick<FormProps<RawAnswers>, 'fields' | 'widgets' | 'templates'>
  readonly uiOf: (event: PublicEvent) => UiSchema<RawAnswers>
  readonly pricing: Pricing
  readonly rows: typeof quoteRows
  /** What is said beside options and below answers. */
  readonly marksOf: (
    event: PublicEvent,
    tariff: TariffAnswer,
    answers: Answers,
  ) => ReadonlyMap<string, Mark>
  /** What is said below the bill: few places left, another category than the answers say. */
  readonly notesOf: (event: PublicEvent, answers: Answers, left: Facts['left']) => readonly string[]
  /** What the button says instead of what it always says; null: that. */
  readonly sendOf: (event: PublicEvent, answers: Answers) => string | null
  /** Whether the rows name the category themselves. */
  readonly rowsNameCategory: boolean
  /** Finds out what is known beside the form. `begin` is a code that was kept with the answers. */
  readonly Beside: (props: {
    readonly event: PublicEvent
    readonly tariff: TariffAnswer | null
    readonly begin: string | null
    readonly children: (outside: Outside) => ReactNode
  }) => ReactNode
  /** Leads through the form page by page. `attempts` counts the failed submits. */
  readonly Paged: (props: {
    readonly event: PublicEvent
    readonly form: Filled & {
      /** Counts how often the answers as a whole became others. */
      readonly begun: number
      readonly errors: FieldErrors
      readonly check: (only?: readonly string[]) => string | null
    }
    readonly price: PriceView
    readonly attempts: number
    readonly children: (paging: Paging) => ReactNode
  }) => ReactNode
  /** Null: the refusal leaves nothing to ask. */
  readonly askedBy: (error: ApiError) => Asked | null
  readonly AskedAgain: ComponentType<{
    readonly event: PublicEvent
    readonly asked: Asked
    readonly was: Quote | null
    readonly yes: () => void
    readonly back: () => void
  }>
}

const nothing = () => {}
const NOTHING: Outside = {
  facts: NO_FACTS,
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

/** The same marks while they say the same, so that the options are drawn again only when something beside them changes. */
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
