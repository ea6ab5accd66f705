/** What one form cannot know: the store decides it in the transaction that registers. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { UniqueRule } from '../../../engine/index.ts'
import type { ExternalContext, Store } from '../../../server/storage/index.ts'
import {
  declinedAt,
  later,
  newRegistration,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import type { Changes } from '../sample-registrations.ts'
import { inOrder } from './contract-setup.ts'
import type { Given } from './contract-setup.ts'

const byName: UniqueRule = {
  name: 'full_name text',
  onDuplicate: 'block',
  parts: [{ id: 'full_name', as: 'text' }],
}
const holdMs = 30 * 60_000
const outside = (more: Partial<ExternalContext> = {}): ExternalContext => ({
  unique: [],
  isConfirmed: false,
  code: null,
  rolls: [],
  holdMs,
  ...more,
})

export function outsideContract(given: Given): void {
  let store: Store
  beforeEach(() => {
    store = given().store
  })
  const refusal = async (changes: Changes): Promise<string | null> => {
    const answer = await store.register(newRegistration(changes))
    return answer.ok ? null : answer.error.code
  }
  const code = async (name: string, usesMax: number): Promise<ExternalContext> => {
    await store.createDiscountCodes({
      eventId: 'demo',
      kind: 'coupon',
      codes: [{ code: name, folded: name }],
      usesMax,
      lastDay: null,
      note: '',
      who: 'office',
      at: noon,
    })
    return outside({ code: { folded: name, kind: 'coupon' } })
  }

  describe('unique answers', () => {
    test('include registrations from before the rule, and from while it was removed', async () => {
      const ruled = outside({ unique: [byName] })
      await registerSample(store, { name: 'Before' })
      await registerSample(store, { name: 'First', outside: ruled })
      await registerSample(store, { name: 'Between', outside: outside() })
      for (const name of ['before', 'FIRST', ' between '])
        expect(await refusal({ name, outside: ruled })).toBe('registered_already')
      expect(await refusal({ name: 'Before', eventId: 'other', outside: ruled })).toBe(null)
    })

    test('include one stored without the rule in the same batch', async () => {
      const ruled = outside({ unique: [byName] })
      const refusals = await inOrder(given(), [
        () => refusal({ name: 'First', outside: ruled }),
        () => refusal({ name: 'Second' }),
      ])
      expect(refusals).toEqual([null, null])
      expect(await refusal({ name: 'Second', outside: ruled })).toBe('registered_already')
    })

    test('store one of fifty concurrent registrations', async () => {
      const all = Array.from({ length: 50 }, () =>
        refusal({ name: 'Asha', outside: outside({ unique: [byName] }) }),
      )
      expect((await Promise.all(all)).filter((one) => one === null).length).toBe(1)
    })

    test('negative control: without the check in the transaction, all fifty are stored', async () => {
      const all = Array.from({ length: 50 }, () => refusal({ name: 'Asha', outside: outside() }))
      expect((await Promise.all(all)).filter((one) => one === null).length).toBe(50)
    })

    test('are released when the payment failed, which then cannot be retried in addition to another', async () => {
      const ruled = outside({ unique: [byName] })
      const { regNo, orderId } = await registerSample(store, { outside: ruled })
      await store.applyPaymentEvent(orderId, declinedAt(), null)
      const second = await registerSample(store, { outside: ruled })
      expect(await store.retry(regNo, later(1), { outside: ruled })).toEqual({
        ok: false,
        error: { code: 'registered_already', rule: 0, regNo: second.regNo },
      })
    })
  })

  describe('a discount code', () => {
    test('with three uses accepts three of fifty concurrent registrations', async () => {
      const used = await code('abc', 3)
      const all = Array.from({ length: 50 }, () => refusal({ outside: used }))
      const answers = await Promise.all(all)
      expect(answers.filter((one) => one === null).length).toBe(3)
      expect(answers.filter((one) => one === 'code_gone').length).toBe(47)
      expect((await store.discountCodes('demo', holdMs, noon))[0]?.uses).toBe(3)
      expect((await store.valuesInUse('demo')).codes).toEqual({ coupon: 3 })
    })

    test('of another kind than was priced is looked up again', async () => {
      await code('abc', 1)
      const priced = outside({ code: { folded: 'abc', kind: 'faculty' } })
      expect(await refusal({ outside: priced })).toBe('facts_moved')
    })

    test('is held while the bank processes the payment', async () => {
      const used = await code('abc', 1)
      const { orderId } = await registerSample(store, { outside: used })
      const worth = async (): Promise<string> =>
        (await store.discountCode('demo', 'abc', holdMs, later(holdMs))).is
      expect(await worth()).toBe('valid')
      await store.recordStatusQuery(orderId, later(1), later(2), 'in-process')
      expect(await worth()).toBe('spent')
    })

    test('that exists is not created again, nor the others of its batch', async () => {
      await code('abc', 1)
      const more = ['new', 'abc'].map((one) => ({ code: one, folded: one }))
      const wanted = { eventId: 'demo', kind: 'coupon', usesMax: 1, lastDay: null, note: '' }
      expect(
        await store.createDiscountCodes({ ...wanted, codes: more, who: 'office', at: noon }),
      ).toEqual({
        ok: false,
        error: { code: 'code_taken' },
      })
      expect((await store.discountCode('demo', 'new', holdMs, noon)).is).toBe('unknown')
    })
  })

  describe('a member list', () => {
    const stood = outside({ rolls: [{ roll: 'members', key: 'l1', cells: { kind: 'life' } }] })
    const replaced = (kind: string) =>
      store.replaceMemberList('demo', 'members', [{ key: 'l1', cells: { kind } }], 'office', noon)

    test('with a changed row is looked up again', async () => {
      expect(await refusal({ outside: stood })).toBe('facts_moved')
      await replaced('life')
      expect(await refusal({ outside: stood })).toBe(null)
      await replaced('annual')
      expect(await refusal({ outside: stood })).toBe('facts_moved')
    })

    test('is replaced as a whole, and reports new, changed and removed rows', async () => {
      await replaced('life')
      const rows = [
        { key: 'l1', cells: { kind: 'annual' } },
        { key: 'l2', cells: { kind: 'life' } },
      ]
      const done = await store.replaceMemberList('demo', 'members', rows, 'office', noon)
      expect(done).toEqual({
        rows: 2,
        changed: 1,
        added: { count: 1, first: ['l2'] },
        gone: { count: 0, first: [] },
      })
      const gone = await store.replaceMemberList('demo', 'members', rows.slice(1), 'office', noon)
      expect([gone.rows, gone.changed, gone.gone]).toEqual([1, 0, { count: 1, first: ['l1'] }])
      expect(await store.memberListRow('demo', 'members', 'l1')).toBe(null)
      expect(await store.memberListCounts('demo')).toEqual([{ roll: 'members', rows: 1 }])
    })
  })
}
