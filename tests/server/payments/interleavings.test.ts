/** Property test: in any order of events, an order is paid if and only if the sandbox has its payment. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACTIONS } from '../../../server/payments/gateways/airpay/simulator/simulator-pages.ts'
import type { Action } from '../../../server/payments/gateways/airpay/simulator/simulator-pages.ts'
import type { Fields } from '../../../server/payments/gateways/message-fields.ts'
import { openTestServer } from './server-with-gateway.ts'
import type { TestServer } from './server-with-gateway.ts'
import { chooseRuns } from '../../runs.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await openTestServer()
})
afterAll(() => testServer.close())

/** An event: a simulator button, a late payment, a current or old webhook or return, a query, or a wait. */
type Step =
  | { readonly do: 'act'; readonly action: Action }
  | {
      readonly do:
        | 'settle'
        | 'webhook'
        | 'old webhook'
        | 'return'
        | 'old return'
        | 'query'
        | 'query all'
    }
  | { readonly do: 'wait'; readonly minutes: number }

const simpleStep = fc
  .constantFrom('settle', 'webhook', 'old webhook', 'return', 'old return', 'query', 'query all')
  .map((step): Step => ({ do: step }))
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...(Object.keys(ACTIONS) as Action[]))
      .map((action): Step => ({ do: 'act', action })),
  },
  { weight: 6, arbitrary: simpleStep },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1, 30, 25 * 60).map((minutes): Step => ({ do: 'wait', minutes })),
  },
)
/** The steps in each list run concurrently. Null is a restart. */
const stepSequence = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.array(step, { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  { minLength: 1, maxLength: 7 },
)

async function performStep(orderId: string, messages: Fields[], step: Step): Promise<void> {
  const sandbox = testServer.sandbox()
  const message = sandbox.getMessage(orderId)
  messages.push(message)
  const firstMessage = messages[0] ?? message
  switch (step.do) {
    case 'act':
      if (sandbox.order(orderId)?.stage === 'open') await sandbox.runAction(orderId, step.action)
      return
    case 'settle':
      return sandbox.settle(orderId)
    case 'webhook':
    case 'old webhook':
      await testServer.sendWebhook(step.do === 'webhook' ? message : firstMessage)
      return
    case 'return':
    case 'old return':
      await testServer.returnFromGateway(step.do === 'return' ? message : firstMessage)
      return
    case 'query':
    case 'query all':
      await testServer.parts().deps.payments.queryDue(step.do === 'query all')
      return
    case 'wait':
      testServer.advance(step.minutes * 60_000)
  }
}

test(
  'an order is paid if and only if the payment was received, with one email',
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(stepSequence, async (stepLists) => {
        const { orderId } = await testServer.placeOrder()
        const messages: Fields[] = []
        let wasPaid = false
        for (const steps of stepLists) {
          if (steps === null) await testServer.restart()
          else await Promise.all(steps.map((step) => performStep(orderId, messages, step)))
          // A success is never reversed.
          const { status } = testServer.readOrderState(orderId)
          expect(wasPaid && status !== 'success').toBe(false)
          wasPaid = status === 'success'
        }
        await testServer.sandbox().resendWebhooks()
        await testServer.waitUntilIdle()
        await testServer.parts().deps.payments.queryDue(true)
        // Expired or failed payments are queried less often, but the next query is at most half a day away.
        if (!['success', 'pending'].includes(String(testServer.readOrderState(orderId).status))) {
          testServer.advance(12 * 60 * 60_000)
          await testServer.parts().deps.payments.queryDue(true)
        }
        const order = testServer.sandbox().order(orderId)
        const orderState = testServer.readOrderState(orderId)
        const isPaid = order?.paid === order?.asked
        expect({
          success: orderState.status === 'success',
          registration: orderState.registration === 'success',
          emails: orderState.emails,
          confirmed: orderState.events.filter((type) => type === 'confirmed').length,
        }).toEqual({
          success: isPaid,
          registration: isPaid,
          emails: isPaid ? 1 : 0,
          confirmed: order?.paid === null ? 0 : 1,
        })
        expect(orderState.review !== null).toBe(order?.paid !== null && !isPaid)
      }),
      { numRuns: chooseRuns(40), endOnFailure: false },
    )
  },
)
