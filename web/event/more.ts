/**
 * What the form of an event needs that sells more than a registration, or asks for more than one answer
 * at a time. It is loaded for such events alone (selling.tsx); for the others it is as empty as this.
 */
import type { FormProps } from '@rjsf/core'
import type { UiSchema } from '@rjsf/utils'
import { useMemo } from 'react'
import type { Answers, PublicEvent, RawAnswers, TariffAnswer } from '../../engine/index.ts'
import { quoteRows } from '../shared/quote-rows.tsx'
import type { Mark } from './context.ts'
import { byTariff } from './price.ts'
import type { Pricing } from './price.ts'
import { uiOf } from './ui.ts'

export type More = {
  /** Laid over what the form is drawn with (drawing.tsx). */
  readonly drawing: Pick<FormProps<RawAnswers>, 'fields' | 'widgets' | 'templates'>
  readonly uiOf: (event: PublicEvent) => UiSchema<RawAnswers>
  readonly pricing: Pricing
  readonly rows: typeof quoteRows
  /** What is said beside options. */
  readonly marksOf: (
    event: PublicEvent,
    tariff: TariffAnswer,
    answers: Answers,
  ) => ReadonlyMap<string, Mark>
  /** Whether the rows name the category themselves. */
  readonly rowsNameCategory: boolean
}

export const PLAIN: More = {
  drawing: {},
  uiOf,
  pricing: byTariff,
  rows: quoteRows,
  marksOf: () => NO_MARKS,
  rowsNameCategory: false,
}
const NO_MARKS: ReadonlyMap<string, Mark> = new Map()

/** The same marks while they say the same, so that the options are drawn again only when something beside them changes. */
export function useMarks(
  event: PublicEvent,
  tariff: TariffAnswer | null,
  answers: Answers,
  { marksOf }: More,
): ReadonlyMap<string, Mark> {
  const marks = useMemo(
    () => (tariff === null ? new Map<string, Mark>() : marksOf(event, tariff, answers)),
    [event, tariff, answers, marksOf],
  )
  const key = JSON.stringify([...marks])
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => marks, [key])
}
