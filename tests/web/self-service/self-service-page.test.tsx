/** Sentences of a delegate's own page that depend on what was paid. */
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { RequestCancellation } from '../../../web/self-service/request-cancellation.tsx'
import type { PanelProps } from '../../../web/self-service/panel-props.ts'

const renderPanel = (
  state: PanelProps['data']['state'],
  retained: number,
  refund: number | null,
): string => {
  const data = {
    state,
    cancel: { asked_at: null, kept: retained, back: refund },
  } as PanelProps['data']
  const page = renderToStaticMarkup(
    <RequestCancellation
      event={{} as PanelProps['event']}
      data={data}
      path="/"
      reload={() => {}}
    />,
  )
  return (/<p>(.*?)<\/p>/.exec(page)?.[1] ?? '').replaceAll('\u00a0', ' ')
}

test.each([
  [
    'a delegate with a payment claim is not told that nothing was paid',
    renderPanel('told', 0, null),
    'The organisers have not found your payment yet. They will decide whether you get a refund.',
  ],
  [
    'a delegate who has not paid is told that there is nothing to refund',
    renderPanel('to_pay', 0, null),
    'You have not paid anything, so there is nothing to refund.',
  ],
])('requesting cancellation: %s', (_, panel, sentence) => {
  expect(panel).toBe(sentence)
})
