/** What is done to registrations: the state that follows, the trail, and that a second click does nothing. */
import { beforeEach, describe, expect, test } from 'vitest'
import { dayOf, allowedDecisions, instant, paise } from '../../../engine/index.ts'
import type { Issuer, RegNo } from '../../../engine/index.ts'
import type { NewAction, Store } from '../../../server/storage/index.ts'
import {
  confirmedBy,
  declinedAt,
  found,
  hour,
  later,
  newEmail,
  newRegistration,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import { regNosOf } from './contract-setup.ts'
import type { Given } from './contract-setup.ts'

const ISSUER: Issuer = {
  event: { id: 'demo', title: 'Demo', days: '', venue: '', support: '', colour: '' },
  roles: {},
  tax: { name: 'GST', percent: 18 },
  invoice: null,
  states: {},
}

export function actingContract(given: Given): void {
  let store: Store
  beforeEach(() => {
    store = given().store
  })
  const wanted = (regNo: RegNo, changes: Partial<NewAction> = {}): NewAction => ({
    regNo,
    act: 'note',
    actor: 'desk',
    who: 'Meera',
    why: 'Rang about food.',
    at: later(1000),
    once: null,
    ...changes,
  })
  const stateOf = async (regNo: RegNo) => (await found(store, regNo)).state

  const card = { gateway: 'airpay', askedOf: { account: 'demo', merchantId: null } }
  /** Corrected to so much more than its price, so that a difference is due, to be paid by transfer. */
  const dearer = async (
    regNo: RegNo,
    by = 100,
    through: typeof card | { readonly way: string } = { way: 'transfer' },
  ): Promise<void> => {
    const { answers, category } = await found(store, regNo)
    const { searchable } = newRegistration()
    const more = (amount: number) => paise(amount + by)
    const quote = {
      ...sampleQuote,
      base: more(sampleQuote.base),
      total: more(sampleQuote.total),
      lines: [],
    }
    const same = { was: answers, answers, category, searchable, unique: [], mails: [], uploads: [] }
    const corrected = await store.correct(wanted(regNo, { act: 'correct', actor: 'owner' }), {
      ...same,
      quote,
      through,
      holdUntil: null,
      changes: ['x'],
      endsLinks: false,
    })
    expect(corrected.ok).toBe(true)
  }
  test('a balance paid by card instead of a transfer is an order that is queried at the gateway', async () => {
    const { regNo, orderId } = await registerSample(store)
    await store.applyPaymentEvent(orderId, confirmedBy('AP1'), null)
    await dearer(regNo)
    const [byTransfer] = (await found(store, regNo)).payments
    expect(byTransfer).toMatchObject({ way: 'transfer', status: 'pending', isDifference: true })
    expect(await store.retry(regNo, later(2000), card)).toMatchObject({
      ok: true,
      value: { way: null, amount: 100 },
    })
    expect((await found(store, regNo)).payments.map(({ status }) => status)).toEqual([
      'pending',
      'failed',
      'success',
    ])
  })

  test('a paid balance gets a receipt with the tax that the first one did not state', async () => {
    await store.saveEventFile({
      hash: 'hash-1',
      eventId: 'demo',
      text: '',
      shared: '',
      at: later(0),
      limits: [],
      issuer: ISSUER,
    })
    const { regNo, orderId } = await registerSample(store)
    await store.applyPaymentEvent(orderId, confirmedBy('AP1'), null)
    await dearer(regNo, 100, card)
    const [difference] = (await found(store, regNo)).payments
    if (difference === undefined) throw new Error('no difference was asked for')
    const paid = confirmedBy('AP2', difference.amount)
    await store.applyPaymentEvent(difference.orderId, paid, null)
    expect(await found(store, regNo)).toMatchObject({ paymentStatus: 'success', due: 0 })
    const receipts = await store.documents(regNo)
    expect(receipts.map(({ kind, total }) => [kind, total])).toEqual([
      ['receipt', sampleQuote.total],
      ['receipt', 100],
    ])
  })

  test.each(['is open', 'has expired'])(
    'a first balance that is paid after a second correction, whose order %s, leaves only the rest due',
    async (second) => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, confirmedBy('AP1'), null)
      await dearer(regNo, 100, card)
      const [first] = (await found(store, regNo)).payments
      await dearer(regNo, 300, card)
      const [open] = (await found(store, regNo)).payments
      if (second === 'has expired')
        await store.applyPaymentEvent(
          open?.orderId ?? orderId,
          { type: 'expired', at: later(30 * hour) },
          null,
        )
      await store.applyPaymentEvent(first?.orderId ?? orderId, confirmedBy('AP2', paise(100)), null)
      const { due, payments } = await found(store, regNo)
      expect(due).toBe(200)
      expect(payments.filter(({ status }) => status === 'pending')).toMatchObject([{ amount: 200 }])
      await store.applyPaymentEvent(
        payments[0]?.orderId ?? orderId,
        confirmedBy('AP3', paise(200)),
        null,
      )
      expect(await found(store, regNo)).toMatchObject({ due: 0, state: 'complete' })
    },
  )

  test('of two concurrent corrections the second is rejected, because the answers it was based on have changed', async () => {
    const { regNo } = await registerSample(store)
    const { answers, category } = await found(store, regNo)
    const { searchable } = newRegistration()
    const correctTo = (name: string) =>
      store.correct(wanted(regNo, { act: 'correct', actor: 'owner', why: `To ${name}.` }), {
        was: answers,
        answers: { ...answers, full_name: name },
        category,
        searchable: { ...searchable, fullName: name },
        unique: [],
        mails: [],
        uploads: [],
        quote: null,
        through: null,
        holdUntil: null,
        changes: [name],
        endsLinks: false,
      })
    const names = ['Asha One', 'Asha Two']
    const results = await Promise.all(names.map(correctTo))
    // Which of them comes first is the database's decision.
    const first = results.findIndex(({ ok }) => ok)
    expect(results[1 - first]).toMatchObject({ error: { code: 'moved_on' } })
    expect((await found(store, regNo)).answers).toMatchObject({ full_name: names[first] })
  })

  test('one bank statement line pays once, whether recorded as transfer or UPI', async () => {
    const byHand = { way: 'transfer' }
    const [one, two] = [await registerSample(store, byHand), await registerSample(store, byHand)]
    const confirm = (regNo: RegNo, way: 'transfer' | 'upi', reference: string) =>
      store.recordPayment(
        wanted(regNo, { act: 'confirm', actor: 'treasurer' }),
        { way, reference, amount: sampleQuote.total, paidAt: later(1000) },
        null,
      )
    expect(await confirm(one.regNo, 'upi', '412345678901')).toMatchObject({ ok: true })
    expect(await confirm(two.regNo, 'transfer', '412345678901')).toMatchObject({
      error: { code: 'taken', message: expect.stringContaining(`the payment of ${one.regNo}`) },
    })
  })

  test('a moved payment pays the price of its day, and the review states what sets the price', async () => {
    const byHand = { way: 'transfer' }
    const [from, to] = [await registerSample(store, byHand), await registerSample(store, byHand)]
    const waits = async (ways: readonly string[]) =>
      (await store.expectedPayments('demo', ways)).find(({ regNo }) => regNo === to.regNo)
    expect(await waits([])).toMatchObject({ due: sampleQuote.total, priced: null })
    const { answers, category } = await found(store, to.regNo)
    expect((await waits(['transfer']))?.priced).toEqual({ answers, category, isInReview: false })
    await store.recordPayment(
      wanted(from.regNo, { act: 'confirm', actor: 'treasurer' }),
      { way: 'transfer', reference: '512345678901', amount: paise(100), paidAt: later(1000) },
      null,
    )
    const [review] = await store.reviews('demo')
    const price = {
      ...sampleQuote,
      total: paise(sampleQuote.total + 118),
      base: paise(sampleQuote.base + 118),
    }
    const move = { what: 'move', to: to.regNo, price, why: 'A friend.', who: 'office' } as const
    expect(await store.decideReview(review?.id ?? '', move, later(2000), null)).toMatchObject({
      ok: true,
    })
    expect(await found(store, to.regNo)).toMatchObject({ total: price.total, inReview: true })
    expect(await waits([])).toMatchObject({ due: price.total })
  })

  test('an unpaid registration has the price on the day; one under review, paid otherwise or at that price keeps its own', async () => {
    const byHand = { way: 'transfer' }
    const [one, inReview] = [
      await registerSample(store, byHand),
      await registerSample(store, byHand),
    ]
    const card = await registerSample(store)
    await store.recordPayment(
      wanted(inReview.regNo, { act: 'confirm', actor: 'treasurer' }),
      { way: 'transfer', reference: '512345678902', amount: paise(100), paidAt: later(1000) },
      null,
    )
    const quote = {
      ...sampleQuote,
      total: paise(sampleQuote.total + 118),
      base: paise(sampleQuote.base + 118),
    }
    const prices = [one, inReview, card].map(({ regNo }) => ({ regNo, ways: ['transfer'], quote }))
    expect(await store.repriceByCreditDate(prices, later(2000))).toBe(1)
    expect(await store.repriceByCreditDate(prices, later(3000))).toBe(0)
    expect(await found(store, one.regNo)).toMatchObject({
      total: quote.total,
      payments: [{ amount: quote.total }, { amount: sampleQuote.total }],
    })
    for (const { regNo } of [inReview, card])
      expect(await found(store, regNo)).toMatchObject({ total: sampleQuote.total })
  })

  test('an expected transfer is no longer expected after a card payment', async () => {
    const { regNo, orderId } = await registerSample(store)
    const told = { way: 'transfer', reference: 'HDFCN52026000001', paidOn: null, answers: {} }
    const tell = wanted(regNo, { act: 'tell', actor: 'delegate', who: 'delegate' })
    expect(
      await store.addPaymentClaim(tell, { ...told, uploads: [], drafts: [] }, null),
    ).toMatchObject({
      ok: true,
    })
    expect(await found(store, regNo)).toMatchObject({ state: 'told', paymentStatus: 'pending' })
    await store.applyPaymentEvent(orderId, confirmedBy('AP1'), null)
    const { state, payments } = await found(store, regNo)
    expect([state, payments.map(({ status }) => status)]).toEqual([
      'complete',
      ['failed', 'success'],
    ])
  })

  test.for([
    ['no-record', 'failed'],
    ['in-process', 'pending'],
    ['unreachable', 'pending'],
  ] as const)(
    'who tells of a transfer after the gateway said %s: the order of the card is %s',
    async ([said, stands]) => {
      const { regNo, orderId } = await registerSample(store)
      await store.recordStatusQuery(orderId, later(1), later(2), said)
      const told = { way: 'transfer', reference: `HDFC${said}`, paidOn: null, answers: {} }
      const tell = wanted(regNo, { act: 'tell', actor: 'delegate', who: 'delegate', at: later(3) })
      expect(
        await store.addPaymentClaim(tell, { ...told, uploads: [], drafts: [] }, null),
      ).toMatchObject({
        ok: true,
      })
      const { state, payments } = await found(store, regNo)
      const card = payments.find((payment) => payment.orderId === orderId)
      expect([state, card?.status]).toEqual(['told', stands])
    },
  )

  test('a paid registration with a balance does not expire every five minutes', async () => {
    const { regNo, orderId } = await registerSample(store, { payUntil: later(500) })
    await store.applyPaymentEvent(orderId, confirmedBy('AP1', sampleQuote.total, later(1)), null)
    await dearer(regNo)
    const lapse = wanted(regNo, { act: 'lapse', actor: 'clock', who: 'rollcall', why: '' })
    expect(await store.overdue(later(1000), 9)).toEqual([])
    expect(await store.expire(lapse, newEmail)).toMatchObject({ error: { code: 'moved_on' } })
    expect((await store.actions(regNo)).map(({ act }) => act)).toEqual(['correct'])
  })

  test('deciding on a payment that was never requested ends the review of the registration', async () => {
    const approval = { id: 'letter', decideBy: later(9000) }
    const { regNo } = await registerSample(store, { orderId: null, approval })
    const owners = (act: NewAction['act']) => wanted(regNo, { act, actor: 'owner' })
    await store.cancel(owners('cancel'), { payBack: paise(0), shown: null, mail: null })
    const money = { reference: 'HDFCN52026000009', amount: paise(100), paidAt: later(1000) }
    await store.recordFurtherPayment(owners('came_again'), { way: 'transfer', ...money })
    expect(await found(store, regNo)).toMatchObject({ inReview: true, payments: [] })
    const [review] = await store.reviews(null)
    const decision = { what: 'dismiss', why: 'Not ours.', who: 'Meera' } as const
    await store.decideReview(review?.id ?? '', decision, later(2000), null)
    expect(await store.reviews(null)).toEqual([])
    expect(await found(store, regNo)).toMatchObject({ inReview: false, state: 'cancelled' })
  })

  test('a paid and cancelled registration is counted as ended, not as paid', async () => {
    const paid = await registerSample(store)
    await store.applyPaymentEvent(paid.orderId, confirmedBy('AP1'), null)
    await registerSample(store)
    const count = async () => {
      const {
        total,
        paid: coming,
        pending,
        ended,
      } = await store.dashboardFigures('demo', dayOf(later(0)))
      return [total, coming, pending, ended]
    }
    expect(await count()).toEqual([2, 1, 1, 0])
    const owner = wanted(paid.regNo, { act: 'cancel', actor: 'owner' })
    await store.cancel(owner, { payBack: paise(0), shown: null, mail: null })
    expect(await count()).toEqual([2, 0, 1, 1])
    const listed = await store.listPage({ eventId: 'demo', answers: {}, state: 'cancelled' }, 1, 20)
    expect([regNosOf(listed.rows), listed.sums]).toMatchObject([[paid.regNo], [{ ended: 1 }]])
  })

  test('an erased person owes no balance', async () => {
    const { regNo, orderId } = await registerSample(store)
    await store.applyPaymentEvent(orderId, confirmedBy('AP1'), null)
    await dearer(regNo)
    expect((await found(store, regNo)).due).toBe(100)
    const erased = await store.erasePersonalData(wanted(regNo, { act: 'erase', actor: 'owner' }))
    expect(erased).toMatchObject({ ok: true })
    expect(await found(store, regNo)).toMatchObject({ state: 'cancelled', due: 0 })
  })

  test('an erased registration that was not approved cannot be approved later', async () => {
    const approval = { id: 'letter', decideBy: later(9000) }
    const { regNo } = await registerSample(store, { orderId: null, approval })
    const owners = (act: NewAction['act']) => wanted(regNo, { act, actor: 'owner' })
    expect(
      await store.rejectApplication(owners('refuse'), { offer: null, mail: null }),
    ).toMatchObject({
      ok: true,
    })
    expect(await store.erasePersonalData(owners('erase'))).toMatchObject({ ok: true })
    const through = { way: 'transfer' }
    const approved = { through, payUntil: later(9000), mail: null, confirmation: null }
    expect(await store.approve(owners('approve'), approved)).toMatchObject({
      error: { code: 'not_now' },
    })
    expect(await stateOf(regNo)).toBe('refused')
  })

  test('a payment that arrived while it was not approved counts once it is approved', async () => {
    const approval = { id: 'letter', decideBy: later(9000) }
    const { regNo } = await registerSample(store, { orderId: null, approval })
    const owners = (act: NewAction['act']) => wanted(regNo, { act, actor: 'owner' })
    await store.rejectApplication(owners('refuse'), { offer: null, mail: null })
    const money = { reference: 'HDFCN52026000010', amount: sampleQuote.total, paidAt: later(1000) }
    await store.recordFurtherPayment(owners('came_again'), { way: 'transfer', ...money })
    const decisions = async () => (await store.reviews(null)).map(({ is }) => allowedDecisions(is))
    expect(await decisions()).toEqual([['refund', 'move', 'dismiss']])
    const through = { way: 'transfer' }
    const approved = { through, payUntil: later(9000), mail: null, confirmation: null }
    expect(await store.approve(owners('approve'), approved)).toMatchObject({ ok: true })
    expect(await decisions()).toEqual([['accept', 'refund', 'move', 'dismiss']])
    const [review] = await store.reviews(null)
    const accept = {
      what: 'accept',
      reference: null,
      amount: null,
      why: 'x',
      who: 'Meera',
    } as const
    expect(await store.decideReview(review?.id ?? '', accept, later(2000), null)).toMatchObject({
      ok: true,
    })
    expect(await found(store, regNo)).toMatchObject({ state: 'complete', inReview: false })
  })

  test.for(['in-process', 'unreachable'] as const)(
    'what may have been paid does not lapse: the gateway is %s',
    async (said) => {
      const { regNo, orderId } = await registerSample(store, { payUntil: later(500) })
      const lapse = wanted(regNo, { act: 'lapse', actor: 'clock', who: 'rollcall', why: '' })
      await store.recordStatusQuery(orderId, later(400), later(600), said)
      expect(await store.overdue(later(1000), 9)).toEqual([])
      expect(await store.expire(lapse, newEmail)).toMatchObject({ error: { code: 'moved_on' } })
      await store.recordStatusQuery(orderId, later(600), later(700), 'no-record')
      expect(await store.overdue(later(1000), 9)).toEqual([regNo])
      expect(await store.expire(lapse, newEmail)).toMatchObject({ ok: true })
      expect(await stateOf(regNo)).toBe('lapsed')
    },
  )

  describe('the state of a registration', () => {
    test('follows its payments: due, complete, expired if unpaid, and due again after a retry', async () => {
      const one = await registerSample(store)
      expect(await stateOf(one.regNo)).toBe('to_pay')
      await store.applyPaymentEvent(one.orderId, declinedAt(), null)
      expect(await stateOf(one.regNo)).toBe('to_pay')
      const two = await registerSample(store)
      await store.applyPaymentEvent(two.orderId, { type: 'expired', at: later(2000) }, null)
      expect(await stateOf(two.regNo)).toBe('lapsed')
      const retried = await store.retry(two.regNo, later(3000))
      expect(await stateOf(two.regNo)).toBe('to_pay')
      if (!retried.ok) throw new Error(retried.error.code)
      await store.applyPaymentEvent(retried.value.orderId, confirmedBy('AP1'), newEmail)
      expect(await stateOf(two.regNo)).toBe('complete')
      const free = await store.register(newRegistration({ orderId: null }))
      if (!free.ok) throw new Error(free.error.code)
      expect(await stateOf(free.value.regNo)).toBe('complete')
    })
  })

  describe('a note', () => {
    test('is in the timeline with user, time and state', async () => {
      const { regNo } = await registerSample(store)
      expect(await store.addNote(wanted(regNo))).toMatchObject({
        ok: true,
        value: { regNo, state: 'to_pay', repeated: false },
      })
      expect(await store.actions(regNo)).toEqual([
        {
          id: 1,
          at: instant(later(1000)),
          who: 'Meera',
          act: 'note',
          why: 'Rang about food.',
          data: {},
          was: 'to_pay',
          became: 'to_pay',
        },
      ])
    })

    test('a repeated click is processed once; the same key for another action is rejected', async () => {
      const { regNo } = await registerSample(store)
      const once = { key: 'k1', fingerprint: 'a' }
      await store.addNote(wanted(regNo, { once }))
      expect(await store.addNote(wanted(regNo, { once }))).toMatchObject({
        value: { repeated: true },
      })
      expect(
        await store.addNote(wanted(regNo, { once: { key: 'k1', fingerprint: 'b' } })),
      ).toMatchObject({ error: { code: 'act_key_reused' } })
      expect(await store.actions(regNo)).toHaveLength(1)
    })

    test('is rejected from a viewer, and for an unknown registration', async () => {
      const { regNo } = await registerSample(store)
      expect(await store.addNote(wanted(regNo, { actor: 'viewer' }))).toMatchObject({
        error: { code: 'not_your_role' },
      })
      expect(await store.addNote(wanted('DEMO000000000000' as RegNo))).toMatchObject({
        error: { code: 'not_there' },
      })
      expect(await store.actions(regNo)).toEqual([])
    })
  })
}
