/** Store contract for rules across registrations, checked in the transaction that stores a registration. */
import { beforeEach, describe, expect, test } from 'vitest'
import { registerThorough } from '../../runs.ts'
import { INR, readCurrency, toAmount } from '../../../engine/index.ts'
import type {
  Line,
  OrderId,
  PaymentEvent,
  Quote,
  RegNo,
  UniqueRule,
} from '../../../engine/index.ts'
import type { ExternalContext, Store, StoredCode } from '../../../server/storage/index.ts'
import {
  buildSale,
  buildDecline,
  readStored,
  addMs,
  buildCorrection,
  buildRegistration,
  noon,
  registerSample,
  sampleQuote,
} from '../sample-registrations.ts'
import type { RegistrationChanges } from '../sample-registrations.ts'
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
  memberListRows: [],
  holdMs,
  ...changes,
})

const codeQuery = {
  eventId: 'demo',
  adjustments: [{ kind: 'coupon', adjustment: 'coupon' }],
  holdMs,
  at: noon,
}
const createLine = (id: string, amount: number): Line => ({
  id,
  option: null,
  label: id,
  quantity: 1,
  unit: toAmount(amount),
  base: toAmount(amount),
  gst: toAmount(0),
  total: toAmount(amount),
})
/** Creates a quote for 5,000 rupees less the discounts. */
const createQuote = (discounts: readonly number[], currency = INR): Quote => {
  const lines = [
    createLine('registration', 500_000),
    ...discounts.map((amount) => createLine('coupon', -amount)),
    createLine('presenter', -7),
  ]
  const total = toAmount(lines.reduce((sum, line) => sum + line.total, 0))
  return { ...sampleQuote, base: total, gst: toAmount(0), total, currency, lines }
}

export function defineQuotasAndCodesContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })
  const registerAndReadError = async (changes: RegistrationChanges): Promise<string | null> => {
    const result = await store.register(buildRegistration(changes))
    return result.ok ? null : result.error.code
  }
  const listCodes = async (): Promise<readonly StoredCode[]> =>
    (await store.discountCodes({ ...codeQuery, before: null, limit: 100 })).codes
  const createCodeContext = async (name: string, usesMax: number): Promise<ExternalContext> => {
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
    return createContext({ code: { normalisedCode: name, kind: 'coupon' } })
  }

  describe('unique answers', () => {
    test('include those of registrations made before the rule was added and while it was removed', async () => {
      const uniqueContext = createContext({ unique: [byName] })
      await registerSample(store, { name: 'Before' })
      await registerSample(store, { name: 'First', externalContext: uniqueContext })
      await registerSample(store, { name: 'Between', externalContext: createContext() })
      for (const name of ['before', 'FIRST', ' between '])
        expect(await registerAndReadError({ name, externalContext: uniqueContext })).toBe(
          'registered_already',
        )
      expect(
        await registerAndReadError({
          name: 'Before',
          eventId: 'other',
          externalContext: uniqueContext,
        }),
      ).toBe(null)
    })

    test('include that of a registration stored without the rule in the same batch', async () => {
      const uniqueContext = createContext({ unique: [byName] })
      const errors = await callInOrder(setUp(), [
        () => registerAndReadError({ name: 'First', externalContext: uniqueContext }),
        () => registerAndReadError({ name: 'Second' }),
      ])
      expect(errors).toEqual([null, null])
      expect(await registerAndReadError({ name: 'Second', externalContext: uniqueContext })).toBe(
        'registered_already',
      )
    })

    test('allow only one of fifty concurrent registrations with the same answer', async () => {
      const results = Array.from({ length: 50 }, () =>
        registerAndReadError({
          name: 'Asha',
          externalContext: createContext({ unique: [byName] }),
        }),
      )
      expect((await Promise.all(results)).filter((result) => result === null).length).toBe(1)
    })

    registerThorough(() => {
      test('negative control: without the check in the transaction, all fifty are stored', async () => {
        const results = Array.from({ length: 50 }, () =>
          registerAndReadError({ name: 'Asha', externalContext: createContext() }),
        )
        expect((await Promise.all(results)).filter((result) => result === null).length).toBe(50)
      })
    })

    test('are released when the payment fails; a retry is rejected if another registration has used them since', async () => {
      const uniqueContext = createContext({ unique: [byName] })
      const { regNo, orderId } = await registerSample(store, { externalContext: uniqueContext })
      await store.applyPaymentEvent(orderId, buildDecline(), null)
      const second = await registerSample(store, { externalContext: uniqueContext })
      expect(await store.retry(regNo, addMs(1), { externalContext: uniqueContext })).toEqual({
        ok: false,
        error: { code: 'registered_already', rule: 0, regNo: second.regNo },
      })
    })
  })

  describe('a discount code', () => {
    test('with three uses is accepted for three of fifty concurrent registrations', async () => {
      const usedCode = await createCodeContext('abc', 3)
      const results = Array.from({ length: 50 }, () =>
        registerAndReadError({ externalContext: usedCode }),
      )
      const errors = await Promise.all(results)
      expect(errors.filter((result) => result === null).length).toBe(3)
      expect(errors.filter((result) => result === 'code_gone').length).toBe(47)
      expect((await listCodes())[0]?.uses).toBe(3)
      expect((await store.valuesInUse('demo')).codes).toEqual({ coupon: 3 })
    })

    test('has given as discount, per currency, the total of its lines in the current bills', async () => {
      const names = Array.from({ length: 5 }, (_, index) => `list${index}`)
      for (const [kind, codes] of [
        ['coupon', names],
        ['faculty', ['guest']],
      ] as const)
        await store.createDiscountCodes({
          eventId: 'demo',
          kind,
          codes: codes.map((name) => ({ code: name, folded: name })),
          usesMax: 9,
          lastDay: null,
          note: '',
          who: 'office',
          at: noon,
        })
      const register = (normalisedCode: string, quote: Quote, kind = 'coupon') =>
        registerSample(store, {
          quote,
          externalContext: createContext({ code: { normalisedCode, kind } }),
        })
      const pay = async ({ regNo, orderId }: { regNo: RegNo; orderId: OrderId }) => {
        const { total, currency } = await readStored(store, regNo)
        const payment = buildSale(`AP${regNo}`, total ?? toAmount(0))
        await store.applyPaymentEvent(orderId, { ...payment, currency } as PaymentEvent, null)
      }
      // Two lines for one discount count as one use. The bill's other adjustment does not come from the code.
      const first = await register('list1', createQuote([10_000, 2000]))
      const pending = await register('list1', createQuote([30_001]))
      const corrected = await register('list1', createQuote([40_000]))
      const cancelled = await register('list1', createQuote([50_000]))
      const dollars = await register('list1', createQuote([600], readCurrency('USD') ?? INR))
      const expired = await register('list3', createQuote([70_000]))
      const guest = await register('guest', createQuote([80_000]), 'faculty')
      for (const registration of [first, corrected, cancelled, dollars, guest])
        await pay(registration)
      await store.applyPaymentEvent(expired.orderId, buildDecline(), null)
      const ownerAction = {
        who: 'office',
        why: 'Asked.',
        actor: 'owner',
        at: addMs(2),
        idempotencyKey: null,
      } as const
      const { answers, category } = await readStored(store, corrected.regNo)
      const correction = await store.correct(
        { ...ownerAction, regNo: corrected.regNo, act: 'correct' },
        buildCorrection({
          previousAnswers: answers,
          category,
          quote: createQuote([44_000]),
          channel: { method: 'transfer' },
        }),
      )
      const cancellation = { refundAmount: toAmount(0), shownPaidAmount: null, mail: null }
      const cancelResult = await store.cancel(
        { ...ownerAction, regNo: cancelled.regNo, act: 'cancel' },
        cancellation,
      )
      expect([correction.ok, cancelResult.ok]).toEqual([true, true])

      const readDiscount = async ({ regNo }: { regNo: RegNo }): Promise<number> =>
        (await readStored(store, regNo)).lines.reduce(
          (sum, { id, total }) => (id === 'coupon' ? sum - total : sum),
          0,
        )
      const paidDiscount = (await readDiscount(first)) + (await readDiscount(corrected))
      expect(paidDiscount).toBe(12_000 + 44_000)
      const discounts = [
        {
          currency: 'INR',
          uses: 3,
          paid: 2,
          discount: paidDiscount + (await readDiscount(pending)),
          paidDiscount,
        },
        { currency: 'USD', uses: 1, paid: 1, discount: 600, paidDiscount: 600 },
      ]
      const readPage = (before: number | null) =>
        store.discountCodes({ ...codeQuery, before, limit: 4 })
      const newestPage = await readPage(null)
      const oldestPage = await readPage(newestPage.next)
      const unused = { uses: 0, paid: 0, discounts: [] }
      expect([newestPage.codes.length, oldestPage.next]).toEqual([4, null])
      expect([...newestPage.codes, ...oldestPage.codes]).toMatchObject([
        {
          code: 'guest',
          uses: 1,
          discounts: [{ currency: 'INR', uses: 1, paid: 1, discount: 0, paidDiscount: 0 }],
        },
        { code: 'list4', ...unused },
        { code: 'list3', ...unused },
        { code: 'list2', ...unused },
        { code: 'list1', uses: 4, paid: 3, discounts },
        { code: 'list0', ...unused },
      ])
    })

    test('is looked up again if its kind differs from the one used for the price', async () => {
      await createCodeContext('abc', 1)
      const pricedContext = createContext({ code: { normalisedCode: 'abc', kind: 'faculty' } })
      expect(await registerAndReadError({ externalContext: pricedContext })).toBe('facts_moved')
    })

    test('counts as used while the bank processes the payment', async () => {
      const usedCode = await createCodeContext('abc', 1)
      const { orderId } = await registerSample(store, { externalContext: usedCode })
      const readCodeKind = async (): Promise<string> =>
        (await store.discountCode('demo', 'abc', holdMs, addMs(holdMs))).is
      expect(await readCodeKind()).toBe('valid')
      await store.recordStatusQuery(orderId, addMs(1), addMs(2), 'in-process')
      expect(await readCodeKind()).toBe('spent')
    })

    test('that already exists is not created again, and neither are the other codes in its batch', async () => {
      await createCodeContext('abc', 1)
      const codes = ['new', 'abc'].map((code) => ({ code, folded: code }))
      const newCodes = { eventId: 'demo', kind: 'coupon', usesMax: 1, lastDay: null, note: '' }
      expect(
        await store.createDiscountCodes({ ...newCodes, codes, who: 'office', at: noon }),
      ).toEqual({
        ok: false,
        error: { code: 'code_taken' },
      })
      expect((await store.discountCode('demo', 'new', holdMs, noon)).is).toBe('unknown')
    })
  })

  describe('a member list', () => {
    const pricedWithRow = createContext({
      memberListRows: [{ memberList: 'members', key: 'l1', cells: { kind: 'life' } }],
    })
    const replaceList = (kind: string) =>
      store.replaceMemberList('demo', 'members', [{ key: 'l1', cells: { kind } }], 'office', noon)

    test('is looked up again if the row used for the price has changed', async () => {
      expect(await registerAndReadError({ externalContext: pricedWithRow })).toBe('facts_moved')
      await replaceList('life')
      expect(await registerAndReadError({ externalContext: pricedWithRow })).toBe(null)
      await replaceList('annual')
      expect(await registerAndReadError({ externalContext: pricedWithRow })).toBe('facts_moved')
    })

    test('is replaced as a whole, and the numbers of new, changed and removed rows are returned', async () => {
      await replaceList('life')
      const rows = [
        { key: 'l1', cells: { kind: 'annual' } },
        { key: 'l2', cells: { kind: 'life' } },
      ]
      const replacement = await store.replaceMemberList('demo', 'members', rows, 'office', noon)
      expect(replacement).toEqual({
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
