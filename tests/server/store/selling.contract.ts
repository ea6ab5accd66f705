/** What is sold: the lines of a bill, frozen with the price they make up. */
import { beforeEach, describe, expect, test } from 'vitest'
import { paise } from '../../../engine/index.ts'
import type { Line } from '../../../engine/index.ts'
import type { Store } from '../../../server/store/store.ts'
import { confirmed, found, hour, later, quoted, registered } from '../registrations.ts'
import type { Given } from './given.ts'

const line = (id: string, unit: number, more: Partial<Line> = {}): Line => ({
  id,
  option: null,
  label: `A ${id}`,
  quantity: 1,
  unit: paise(unit),
  base: paise(unit),
  gst: paise(0),
  total: paise(unit),
  ...more,
})
const bill = [
  line('registration', 500_000),
  line('room', 800_000, { option: 'double', quantity: 3, base: paise(2_400_000) }),
  line('presenter', -50_000, { base: paise(-42_373), gst: paise(-7_627) }),
].map((one) => ({ ...one, total: paise(one.base + one.gst) }))
const total = paise(bill.reduce((sum, one) => sum + one.total, 0))
const quote = { ...quoted, base: total, gst: paise(0), total, lines: bill }

export function sellingContract(given: Given): void {
  let store: Store
  beforeEach(() => {
    store = given().store
  })

  describe('the bill', () => {
    test('is kept line by line with the registration, also where nothing is to be paid', async () => {
      const paying = await registered(store, { quote })
      const free = await registered(store, { quote, orderId: null })
      for (const { regNo } of [paying, free])
        expect((await found(store, regNo)).lines).toEqual(bill)
    })

    test('of another price goes with its attempt, and the registration shows the one that was paid', async () => {
      const { regNo, orderId } = await registered(store, { quote })
      const dearer = [line('registration', 700_000)]
      const price = {
        quote: {
          ...quote,
          period: 'late',
          base: paise(700_000),
          total: paise(700_000),
          lines: dearer,
        },
        holdUntil: null,
      }
      expect(
        await store.retry(regNo, later(hour), { after: orderId, replaces: true, price }),
      ).toMatchObject({ ok: true })
      expect((await found(store, regNo)).lines).toEqual(dearer)
      // The first order is paid after all: its bill is the one that counts, as it was.
      await store.applyFact(orderId, confirmed('AP1', total), null)
      expect(await found(store, regNo)).toMatchObject({ total, period: 'early', lines: bill })
    })

    test('of a further attempt at the same price is the same', async () => {
      const { regNo, orderId } = await registered(store, { quote })
      await store.applyFact(orderId, { type: 'expired', at: later(1) }, null)
      expect(await store.retry(regNo, later(hour))).toMatchObject({ ok: true })
      expect((await found(store, regNo)).lines).toEqual(bill)
    })

    test('has no lines where the price has none', async () => {
      const { regNo } = await registered(store)
      expect((await found(store, regNo)).lines).toEqual([])
    })
  })
}
