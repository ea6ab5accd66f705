/** The price preview shows the form's labels for an item that is not on sale and for its period. */
import { expect, test } from 'vitest'
import { day, quote, startOfDay, toAmount } from '../../../engine/index.ts'
import { compileEvent, createEventFile } from '../../../engine/authoring.ts'
import { explainNotOnSale } from '../../../web/organisers/preview/not-on-sale.ts'
import { shared } from '../../server/cli/shared-files.ts'

const eventFile = createEventFile({
  id: 'echo2026',
  prefix: 'ECHO',
  title: 'Echo 2026',
  from: day('2026-12-11'),
  to: day('2026-12-13'),
  today: day('2026-05-01'),
  tax: 'none',
  periodLabels: ['Early Bird', 'Regular'],
  periodEnds: [day('2026-08-31')],
  categories: [
    { label: 'Member', prices: [toAmount(500_000), toAmount(600_000)] },
    { label: 'Foreign delegate', prices: [null, toAmount(700_000)] },
  ],
  workshops: [{ label: 'Basic Echo', prices: [null, toAmount(90_000)], seats: null }],
})
const { event } = compileEvent(eventFile, shared, { path: 'echo2026.yaml' })

test.each([
  [{ registering_as: 'foreign-delegate' }, 'Foreign delegate is not on sale in “Early Bird”.'],
  [
    { registering_as: 'member', workshops: ['basic-echo'] },
    'Basic Echo is not on sale in “Early Bird”.',
  ],
])('the preview shows the label of the period, not its id: %j', (answers, sentence) => {
  if (event === null) throw new Error('no event')
  const quoteResult = quote(event, answers as never, startOfDay(day('2026-06-01')))
  if (quoteResult.ok || quoteResult.error.code !== 'not_on_sale')
    throw new Error('the item is on sale')
  expect(explainNotOnSale(event, quoteResult.error)).toBe(sentence)
})
