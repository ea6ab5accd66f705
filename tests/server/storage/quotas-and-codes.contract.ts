/**
 * Store contract for rules across registrations, which are checked in the transaction that
 * registers.
 */
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
import { callInOrder } from './contract-setup.ts'
import type { ContractSetup } from './contract-setup.ts'

const byName: UniqueRule = {
  name: 'full_name text',
  onDuplicate: 'block',
  parts: [{ id: 'full_name', as: 'text' }],
}
const holdMs = 30 * 60_000
const createContext = (changes: Partial<ExternalContext> = {}): ExternalContext => ({
  unique: [],
  isConfirmed: false,
  code: null,
  rolls: [],
  holdMs,
  ...changes,
})

export function quotasAndCodesContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })
  const registerError = async (changes: Changes): Promise<string | null> => {
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
    return createContext({ code: { folded: name, kind: 'coupon' } })
  }

  describe('unique answers', () => {
    test('include registrations from before the rule, and from while it was removed', async () => {
      const uniqueContext = createContext({ unique: [byName] })
      await registerSample(store, { name: 'Before' })
      await registerSample(store, { name: 'First', outside: uniqueContext })
      await registerSample(store, { name: 'Between', outside: createContext() })
      for (const name of ['before', 'FIRST', ' between '])
        expect(await registerError({ name, outside: uniqueContext })).toBe('registered_already')
      expect(
        await registerError({ name: 'Before', eventId: 'other', outside: uniqueContext }),
      ).toBe(null)
    })

    test('include one stored without the rule in the same batch', async () => {
      const uniqueContext = createContext({ unique: [byName] })
      const errors = await callInOrder(setUp(), [
        () => registerError({ name: 'First', outside: uniqueContext }),
        () => registerError({ name: 'Second' }),
      ])
      expect(errors).toEqual([null, null])
      expect(await registerError({ name: 'Second', outside: uniqueContext })).toBe(
        'registered_already',
      )
    })

    test('store one of fifty concurrent registrations', async () => {
      const results = Array.from({ length: 50 }, () =>
        registerError({ name: 'Asha', outside: createContext({ unique: [byName] }) }),
      )
      expect((await Promise.all(results)).filter((result) => result === null).length).toBe(1)
    })

    test('negative control: without the check in the transaction, all fifty are stored', async () => {
      const results = Array.from({ length: 50 }, () =>
        registerError({ name: 'Asha', outside: createContext() }),
      )
      expect((await Promise.all(results)).filter((result) => result === null).length).toBe(50)
    })

    test('are released when the payment fails, which then cannot be retried if another uses them', async () => {
      const uniqueContext = createContext({ unique: [byName] })
      const { regNo, orderId } = await registerSample(store, { outside: uniqueContext })
      await store.applyPaymentEvent(orderId, declinedAt(), null)
      const second = await registerSample(store, { outside: uniqueContext })
      expect(await store.retry(regNo, later(1), { outside: uniqueContext })).toEqual({
        ok: false,
        error: { code: 'registered_already', rule: 0, regNo: second.regNo },
      })
    })
  })

  describe('a discount code', () => {
    test('with three uses accepts three of fifty concurrent registrations', async () => {
      const usedCode = await code('abc', 3)
      const results = Array.from({ length: 50 }, () => registerError({ outside: usedCode }))
      const answers = await Promise.all(results)
      expect(answers.filter((result) => result === null).length).toBe(3)
      expect(answers.filter((result) => result === 'code_gone').length).toBe(47)
      expect((await store.discountCodes('demo', holdMs, noon))[0]?.uses).toBe(3)
      expect((await store.valuesInUse('demo')).codes).toEqual({ coupon: 3 })
    })

    test('of another kind than priced is looked up again', async () => {
      await code('abc', 1)
      const pricedContext = createContext({ code: { folded: 'abc', kind: 'faculty' } })
      expect(await registerError({ outside: pricedContext })).toBe('facts_moved')
    })

    test('is held while the bank processes the payment', async () => {
      const usedCode = await code('abc', 1)
      const { orderId } = await registerSample(store, { outside: usedCode })
      const codeKind = async (): Promise<string> =>
        (await store.discountCode('demo', 'abc', holdMs, later(holdMs))).is
      expect(await codeKind()).toBe('valid')
      await store.recordStatusQuery(orderId, later(1), later(2), 'in-process')
      expect(await codeKind()).toBe('spent')
    })

    test('that exists is not created again, nor the others of its batch', async () => {
      await code('abc', 1)
      const changes = ['new', 'abc'].map((result) => ({ code: result, folded: result }))
      const newCodes = { eventId: 'demo', kind: 'coupon', usesMax: 1, lastDay: null, note: '' }
      expect(
        await store.createDiscountCodes({ ...newCodes, codes: changes, who: 'office', at: noon }),
      ).toEqual({
        ok: false,
        error: { code: 'code_taken' },
      })
      expect((await store.discountCode('demo', 'new', holdMs, noon)).is).toBe('unknown')
    })
  })

  describe('a member list', () => {
    const pricedWithRow = createContext({
      rolls: [{ roll: 'members', key: 'l1', cells: { kind: 'life' } }],
    })
    const replaceList = (kind: string) =>
      store.replaceMemberList('demo', 'members', [{ key: 'l1', cells: { kind } }], 'office', noon)

    test('with a changed row is looked up again', async () => {
      expect(await registerError({ outside: pricedWithRow })).toBe('facts_moved')
      await replaceList('life')
      expect(await registerError({ outside: pricedWithRow })).toBe(null)
      await replaceList('annual')
      expect(await registerError({ outside: pricedWithRow })).toBe('facts_moved')
    })

    test('is replaced as a whole, and reports new, changed and removed rows', async () => {
      await replaceList('life')
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
      const shortenedList = await store.replaceMemberList(
        'demo',
        'members',
        rows.slice(1),
        'office',
        noon,
      )
      expect([shortenedList.rows, shortenedList.changed, shortenedList.gone]).toEqual([
        1,
        0,
        { count: 1, first: ['l1'] },
      ])
      expect(await store.memberListRow('demo', 'members', 'l1')).toBe(null)
      expect(await store.memberListCounts('demo')).toEqual([{ roll: 'members', rows: 1 }])
    })
  })
}
