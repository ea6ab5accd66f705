/**
 * Whatever order things come in (return, notice, old notices again, late money, a restart, a day that
 * passes, the reconciler, several of them at once), in the end the registration is paid exactly when
 * the sandbox holds its money, and one mail says so.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACTIONS } from '../../../server/payments/gateways/airpay/simulator/simulator-pages.ts'
import type { Action } from '../../../server/payments/gateways/airpay/simulator/simulator-pages.ts'
import type { Fields } from '../../../server/payments/gateways/airpay/parse-message.ts'
import { openRig } from './server-with-gateway.ts'
import type { Rig } from './server-with-gateway.ts'
import { runs } from '../../runs.ts'

let rig: Rig
beforeAll(async () => {
  rig = await openRig()
})
afterAll(() => rig.close())

type Step =
  | { readonly do: 'act'; readonly action: Action }
  | {
      readonly do:
        | 'settle'
        | 'notice'
        | 'old notice'
        | 'return'
        | 'old return'
        | 'reconcile'
        | 'reconcile all'
    }
  | { readonly do: 'wait'; readonly minutes: number }

const simple = fc
  .constantFrom(
    'settle',
    'notice',
    'old notice',
    'return',
    'old return',
    'reconcile',
    'reconcile all',
  )
  .map((what): Step => ({ do: what }))
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...(Object.keys(ACTIONS) as Action[]))
      .map((action): Step => ({ do: 'act', action })),
  },
  { weight: 6, arbitrary: simple },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1, 30, 25 * 60).map((minutes): Step => ({ do: 'wait', minutes })),
  },
)
/** What stands in one list happens at the same moment; null is a restart. */
const course = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.array(step, { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  { minLength: 1, maxLength: 7 },
)

async function take(orderId: string, seen: Fields[], what: Step): Promise<void> {
  const sandbox = rig.sandbox()
  const message = sandbox.messageOf(orderId)
  seen.push(message)
  const old = seen[0] ?? message
  switch (what.do) {
    case 'act':
      if (sandbox.order(orderId)?.stage === 'open') await sandbox.runAction(orderId, what.action)
      return
    case 'settle':
      return sandbox.settle(orderId)
    case 'notice':
    case 'old notice':
      await rig.notice(what.do === 'notice' ? message : old)
      return
    case 'return':
    case 'old return':
      await rig.comeBack(what.do === 'return' ? message : old)
      return
    case 'reconcile':
    case 'reconcile all':
      await rig.parts().deps.payments.reconcile(what.do === 'reconcile all')
      return
    case 'wait':
      rig.advance(what.minutes * 60_000)
  }
}

test(
  'is paid exactly when the payment was received, with one email',
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(course, async (moments) => {
        const { orderId } = await rig.place()
        const seen: Fields[] = []
        let wasPaid = false
        for (const moment of moments) {
          if (moment === null) await rig.restart()
          else await Promise.all(moment.map((what) => take(orderId, seen, what)))
          // Never back from a success, at no moment.
          const { status } = rig.holds(orderId)
          expect(wasPaid && status !== 'success').toBe(false)
          wasPaid = status === 'success'
        }
        await rig.sandbox().resendWebhooks()
        await rig.settled()
        await rig.parts().deps.payments.reconcile(true)
        // What has ended is asked about less often: the watch's next question is half a day away at most.
        if (!['success', 'pending'].includes(String(rig.holds(orderId).status))) {
          rig.advance(12 * 60 * 60_000)
          await rig.parts().deps.payments.reconcile(true)
        }
        const order = rig.sandbox().order(orderId)
        const held = rig.holds(orderId)
        const paid = order?.paid === order?.asked
        expect({
          success: held.status === 'success',
          registration: held.registration === 'success',
          mails: held.mails,
          confirmed: held.facts.filter((type) => type === 'confirmed').length,
        }).toEqual({
          success: paid,
          registration: paid,
          mails: paid ? 1 : 0,
          confirmed: order?.paid === null ? 0 : 1,
        })
        expect(held.review !== null).toBe(order?.paid !== null && !paid)
      }),
      { numRuns: runs(40), endOnFailure: false },
    )
  },
)
