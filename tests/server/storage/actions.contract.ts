/** Store contract for actions on registrations: the resulting state, the timeline, and repeated requests. */
import { beforeEach, describe, expect, test } from 'vitest'
import { dayOf, listAllowedDecisions, instant, toAmount } from '../../../engine/index.ts'
import type { Issuer, OrderId, RegNo } from '../../../engine/index.ts'
import type { NewAction, Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  buildDecline,
  readStored,
  HOUR_MS,
  addMs,
  newEmail,
  buildNameCorrection,
  buildRegistration,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import { toRegNos } from './contract-setup.ts'
import type { ContractSetup } from './contract-setup.ts'

const ISSUER: Issuer = {
  event: { id: 'demo', title: 'Demo', days: '', venue: '', support: '', colour: '' },
  roles: {},
  tax: { name: 'GST', percent: 18 },
  invoice: null,
  states: {},
}

export function defineActionsContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })
  const buildAction = (regNo: RegNo, changes: Partial<NewAction> = {}): NewAction => ({
    regNo,
    act: 'note',
    actor: 'desk',
    who: 'Meera',
    why: 'Rang about food.',
    at: addMs(1000),
    idempotencyKey: null,
    ...changes,
  })
  const readState = async (regNo: RegNo) => (await readStored(store, regNo)).state

  const cardMethod = { gateway: 'airpay', merchantAccount: { account: 'demo', merchantId: null } }
  /** Corrects the price upwards, so that a balance is due by transfer. */
  const raisePrice = async (
    regNo: RegNo,
    increase = 100,
    paymentMethod: typeof cardMethod | { readonly method: string } = { method: 'transfer' },
  ): Promise<void> => {
    const { answers, category } = await readStored(store, regNo)
    const { searchable } = buildRegistration()
    const addIncrease = (amount: number) => toAmount(amount + increase)
    const quote = {
      ...sampleQuote,
      base: addIncrease(sampleQuote.base),
      total: addIncrease(sampleQuote.total),
      lines: [],
    }
    const unchangedAnswers = {
      previousAnswers: answers,
      answers,
      category,
      searchable,
      unique: [],
      emails: [],
      uploads: [],
    }
    const correction = await store.correct(buildAction(regNo, { act: 'correct', actor: 'owner' }), {
      ...unchangedAnswers,
      quote,
      channel: paymentMethod,
      holdUntil: null,
      changes: ['x'],
      revokesLinks: false,
    })
    expect(correction.ok).toBe(true)
  }
  test('if a balance is paid by card instead of by transfer, the gateway is asked about its order', async () => {
    const { regNo, orderId } = await registerSample(store)
    await store.applyPaymentEvent(orderId, buildSale('AP1'), null)
    await raisePrice(regNo)
    const [transfer] = (await readStored(store, regNo)).payments
    expect(transfer).toMatchObject({ way: 'transfer', status: 'pending', isDifference: true })
    expect(await store.retry(regNo, addMs(2000), cardMethod)).toMatchObject({
      ok: true,
      value: { way: null, amount: 100 },
    })
    expect((await readStored(store, regNo)).payments.map(({ status }) => status)).toEqual([
      'pending',
      'failed',
      'success',
    ])
  })

  test('the receipt for a balance states the tax that the first receipt does not include', async () => {
    await store.saveEventFile({
      hash: 'hash-1',
      eventId: 'demo',
      text: '',
      shared: '',
      at: addMs(0),
      limits: [],
      issuer: ISSUER,
    })
    const { regNo, orderId } = await registerSample(store)
    await store.applyPaymentEvent(orderId, buildSale('AP1'), null)
    await raisePrice(regNo, 100, cardMethod)
    const [balanceOrder] = (await readStored(store, regNo)).payments
    if (balanceOrder === undefined) throw new Error('no balance was created')
    const confirmation = buildSale('AP2', balanceOrder.amount)
    await store.applyPaymentEvent(balanceOrder.orderId, confirmation, null)
    expect(await readStored(store, regNo)).toMatchObject({ paymentStatus: 'success', due: 0 })
    const receipts = await store.documents(regNo)
    expect(receipts.map(({ kind, total }) => [kind, total])).toEqual([
      ['receipt', sampleQuote.total],
      ['receipt', 100],
    ])
  })

  test('if a card payment that replaced a transfer is declined, the transfer is due again, once, at its original price', async () => {
    const { regNo, orderId } = await registerSample(store, {
      way: 'transfer',
      payUntil: addMs(HOUR_MS),
    })
    const chargedAmount = toAmount(600_000)
    const quote = { ...sampleQuote, total: chargedAmount, base: toAmount(523_500) }
    const price = { quote, holdUntil: null }
    const payByCard = async (expectedOrderId: OrderId) => {
      const card = await store.retry(regNo, addMs(1), {
        expectedOrderId,
        replacesOpenOrder: true,
        price,
        gateway: 'airpay',
      })
      return card.ok ? card.value.orderId : expect.fail(card.error.code)
    }
    // The second card order replaces the first one, so the transfer stays replaced.
    const secondOrderId = await payByCard(await payByCard(orderId))
    const listOrders = async () =>
      (await readStored(store, regNo)).payments.map((paid) => [paid.way, paid.status, paid.amount])
    const expectedAfterOrder = [
      [null, 'failed', chargedAmount],
      ['transfer', 'failed', sampleQuote.total],
    ]
    expect(await listOrders()).toEqual([[null, 'pending', chargedAmount], ...expectedAfterOrder])
    await store.applyPaymentEvent(secondOrderId, buildDecline(addMs(2)), null)
    await store.applyPaymentEvent(secondOrderId, buildDecline(addMs(2)), null)
    const expectedAfterDecline = [
      ['transfer', 'pending', sampleQuote.total],
      [null, 'failed', chargedAmount],
      ...expectedAfterOrder,
    ]
    expect(await listOrders()).toEqual(expectedAfterDecline)
    expect(await readStored(store, regNo)).toMatchObject({
      state: 'to_pay',
      total: sampleQuote.total,
      payUntil: addMs(HOUR_MS),
    })
    // After the transfer's own hold, a declined card payment restores nothing.
    const [newestAttempt] = (await readStored(store, regNo)).payments
    const thirdOrderId = await payByCard(newestAttempt?.orderId ?? orderId)
    await store.applyPaymentEvent(thirdOrderId, buildDecline(addMs(HOUR_MS)), null)
    expect((await listOrders())[0]).toEqual([null, 'failed', chargedAmount])
  })

  test.each(['is open', 'has expired'])(
    'if a second correction adds a balance whose order %s, paying the first balance leaves only the remainder due',
    async (secondOrderState) => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildSale('AP1'), null)
      await raisePrice(regNo, 100, cardMethod)
      const [firstBalance] = (await readStored(store, regNo)).payments
      await raisePrice(regNo, 300, cardMethod)
      const [secondBalance] = (await readStored(store, regNo)).payments
      if (secondOrderState === 'has expired')
        await store.applyPaymentEvent(
          secondBalance?.orderId ?? orderId,
          { type: 'expired', at: addMs(30 * HOUR_MS) },
          null,
        )
      await store.applyPaymentEvent(
        firstBalance?.orderId ?? orderId,
        buildSale('AP2', toAmount(100)),
        null,
      )
      const { due, payments } = await readStored(store, regNo)
      expect(due).toBe(200)
      expect(payments.filter(({ status }) => status === 'pending')).toMatchObject([{ amount: 200 }])
      await store.applyPaymentEvent(
        payments[0]?.orderId ?? orderId,
        buildSale('AP3', toAmount(200)),
        null,
      )
      expect(await readStored(store, regNo)).toMatchObject({ due: 0, state: 'complete' })
    },
  )

  test('the second of two concurrent corrections is rejected, because the answers that it is based on have changed', async () => {
    const { regNo } = await registerSample(store)
    const { answers: previousAnswers } = await readStored(store, regNo)
    const correctNameTo = (name: string) =>
      store.correct(
        buildAction(regNo, { act: 'correct', actor: 'owner', why: `To ${name}.` }),
        buildNameCorrection(name, { previousAnswers, changes: [name] }),
      )
    const names = ['Asha One', 'Asha Two']
    const results = await Promise.all(names.map(correctNameTo))
    // The database determines which one comes first.
    const firstIndex = results.findIndex(({ ok }) => ok)
    expect(results[1 - firstIndex]).toMatchObject({ error: { code: 'moved_on' } })
    expect((await readStored(store, regNo)).answers).toMatchObject({ full_name: names[firstIndex] })
  })

  test('a bank statement line counts as one payment, whether it is recorded as a transfer or as UPI', async () => {
    const transferMethod = { way: 'transfer' }
    const [first, second] = [
      await registerSample(store, transferMethod),
      await registerSample(store, transferMethod),
    ]
    const confirm = (regNo: RegNo, way: 'transfer' | 'upi', reference: string) =>
      store.recordPayment(
        buildAction(regNo, { act: 'confirm', actor: 'treasurer' }),
        { method: way, reference, amount: sampleQuote.total, paidAt: addMs(1000) },
        null,
      )
    expect(await confirm(first.regNo, 'upi', '412345678901')).toMatchObject({ ok: true })
    expect(await confirm(second.regNo, 'transfer', '412345678901')).toMatchObject({
      error: { code: 'taken', message: expect.stringContaining(`the payment of ${first.regNo}`) },
    })
  })

  test('a moved payment pays the price that applied on its date, and the review states which date sets the price', async () => {
    const transferMethod = { way: 'transfer' }
    const [source, target] = [
      await registerSample(store, transferMethod),
      await registerSample(store, transferMethod),
    ]
    const findExpectedPayment = async (methods: readonly string[]) =>
      (await store.expectedPayments('demo', methods)).find(({ regNo }) => regNo === target.regNo)
    expect(await findExpectedPayment([])).toMatchObject({ due: sampleQuote.total, priced: null })
    const { answers, category } = await readStored(store, target.regNo)
    expect((await findExpectedPayment(['transfer']))?.priced).toEqual({
      answers,
      category,
      isInReview: false,
    })
    await store.recordPayment(
      buildAction(source.regNo, { act: 'confirm', actor: 'treasurer' }),
      { method: 'transfer', reference: '512345678901', amount: toAmount(100), paidAt: addMs(1000) },
      null,
    )
    const [review] = await store.reviews('demo')
    const price = {
      ...sampleQuote,
      total: toAmount(sampleQuote.total + 118),
      base: toAmount(sampleQuote.base + 118),
    }
    const move = { what: 'move', to: target.regNo, price, why: 'A friend.', who: 'office' } as const
    expect(await store.decideReview(review?.id ?? '', move, addMs(2000), null)).toMatchObject({
      ok: true,
    })
    const stored = await readStored(store, target.regNo)
    expect(stored).toMatchObject({ total: price.total, inReview: true })
    expect(await findExpectedPayment([])).toMatchObject({ due: price.total })
  })

  test('an unpaid registration gets the current price, unless it is under review, uses another payment method or already has that price', async () => {
    const transferMethod = { way: 'transfer' }
    const [unpaid, underReview] = [
      await registerSample(store, transferMethod),
      await registerSample(store, transferMethod),
    ]
    const byCard = await registerSample(store)
    await store.recordPayment(
      buildAction(underReview.regNo, { act: 'confirm', actor: 'treasurer' }),
      { method: 'transfer', reference: '512345678902', amount: toAmount(100), paidAt: addMs(1000) },
      null,
    )
    const quote = {
      ...sampleQuote,
      total: toAmount(sampleQuote.total + 118),
      base: toAmount(sampleQuote.base + 118),
    }
    const prices = [unpaid, underReview, byCard].map(({ regNo }) => ({
      regNo,
      methods: ['transfer'],
      quote,
    }))
    expect(await store.repriceByCreditDate(prices, addMs(2000))).toBe(1)
    expect(await store.repriceByCreditDate(prices, addMs(3000))).toBe(0)
    expect(await readStored(store, unpaid.regNo)).toMatchObject({
      total: quote.total,
      payments: [{ amount: quote.total }, { amount: sampleQuote.total }],
    })
    for (const { regNo } of [underReview, byCard])
      expect(await readStored(store, regNo)).toMatchObject({ total: sampleQuote.total })
  })

  test('a card payment replaces an expected transfer', async () => {
    const { regNo, orderId } = await registerSample(store)
    const claim = { way: 'transfer', reference: 'HDFCN52026000001', paidOn: null, answers: {} }
    const claimAction = buildAction(regNo, { act: 'tell', actor: 'delegate', who: 'delegate' })
    expect(
      await store.addPaymentClaim(claimAction, { ...claim, uploads: [], drafts: [] }, null),
    ).toMatchObject({
      ok: true,
    })
    const stored = await readStored(store, regNo)
    expect(stored).toMatchObject({ state: 'told', paymentStatus: 'pending' })
    await store.applyPaymentEvent(orderId, buildSale('AP1'), null)
    const { state, payments } = await readStored(store, regNo)
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
    'when a delegate reports a payment after the gateway returned %s, the card order is %s',
    async ([gatewayState, expectedState]) => {
      const { regNo, orderId } = await registerSample(store)
      await store.recordStatusQuery(orderId, addMs(1), addMs(2), gatewayState)
      const claim = { way: 'transfer', reference: `HDFC${gatewayState}`, paidOn: null, answers: {} }
      const claimAction = buildAction(regNo, {
        act: 'tell',
        actor: 'delegate',
        who: 'delegate',
        at: addMs(3),
      })
      expect(
        await store.addPaymentClaim(claimAction, { ...claim, uploads: [], drafts: [] }, null),
      ).toMatchObject({
        ok: true,
      })
      const { state, payments } = await readStored(store, regNo)
      const cardPayment = payments.find((payment) => payment.orderId === orderId)
      expect([state, cardPayment?.status]).toEqual(['told', expectedState])
    },
  )

  test('a paid registration with a balance does not expire', async () => {
    const { regNo, orderId } = await registerSample(store, { payUntil: addMs(500) })
    await store.applyPaymentEvent(orderId, buildSale('AP1', sampleQuote.total, addMs(1)), null)
    await raisePrice(regNo)
    const expireAction = buildAction(regNo, {
      act: 'lapse',
      actor: 'clock',
      who: 'rollcall',
      why: '',
    })
    expect(await store.overdue(addMs(1000), 9)).toEqual([])
    expect(await store.expire(expireAction, newEmail)).toMatchObject({
      error: { code: 'moved_on' },
    })
    expect((await store.actions(regNo)).map(({ act }) => act)).toEqual(['correct'])
  })

  test('a decision on a payment that was never requested ends the review of its registration', async () => {
    const approval = { id: 'letter', decideBy: addMs(9000) }
    const { regNo } = await registerSample(store, { orderId: null, approval })
    const asOwner = (act: NewAction['act']) => buildAction(regNo, { act, actor: 'owner' })
    await store.cancel(asOwner('cancel'), {
      refundAmount: toAmount(0),
      shownPaidAmount: null,
      mail: null,
    })
    const lateTransfer = {
      reference: 'HDFCN52026000009',
      amount: toAmount(100),
      paidAt: addMs(1000),
    }
    await store.recordExtraPayment(asOwner('came_again'), { method: 'transfer', ...lateTransfer })
    expect(await readStored(store, regNo)).toMatchObject({ inReview: true, payments: [] })
    const [review] = await store.reviews(null)
    const decision = { what: 'dismiss', why: 'Not ours.', who: 'Meera' } as const
    await store.decideReview(review?.id ?? '', decision, addMs(2000), null)
    expect(await store.reviews(null)).toEqual([])
    expect(await readStored(store, regNo)).toMatchObject({ inReview: false, state: 'cancelled' })
  })

  test('a paid registration that is cancelled is counted as ended, not as paid', async () => {
    const paid = await registerSample(store)
    await store.applyPaymentEvent(paid.orderId, buildSale('AP1'), null)
    await registerSample(store)
    const readCounts = async () => {
      const {
        total,
        paid: paidCount,
        pending: pendingCount,
        ended: finalCount,
      } = await store.dashboardFigures('demo', dayOf(addMs(0)))
      return [total, paidCount, pendingCount, finalCount]
    }
    expect(await readCounts()).toEqual([2, 1, 1, 0])
    const cancelAction = buildAction(paid.regNo, { act: 'cancel', actor: 'owner' })
    await store.cancel(cancelAction, {
      refundAmount: toAmount(0),
      shownPaidAmount: null,
      mail: null,
    })
    expect(await readCounts()).toEqual([2, 0, 1, 1])
    const page = await store.listPage({ eventId: 'demo', answers: {}, state: 'cancelled' }, 1, 20)
    expect([toRegNos(page.rows), page.sums]).toMatchObject([[paid.regNo], [{ ended: 1 }]])
  })

  test('a registration owes no balance after its data is erased', async () => {
    const { regNo, orderId } = await registerSample(store)
    await store.applyPaymentEvent(orderId, buildSale('AP1'), null)
    await raisePrice(regNo)
    expect((await readStored(store, regNo)).due).toBe(100)
    const erasure = await store.erasePersonalData(
      buildAction(regNo, { act: 'erase', actor: 'owner' }),
    )
    expect(erasure).toMatchObject({ ok: true })
    expect(await readStored(store, regNo)).toMatchObject({ state: 'cancelled', due: 0 })
  })

  test('an unsent email to a person whose data is erased is not listed as failed', async () => {
    const { regNo, orderId } = await registerSample(store)
    await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
    expect((await store.mailCounts(null)).queued).toBe(1)
    await store.erasePersonalData(buildAction(regNo, { act: 'erase', actor: 'owner' }))
    expect(await store.mailCounts(null)).toEqual({ queued: 0, failed: 0, sent: 0 })
    const waiting = { is: 'mail_failed', at: addMs(9000) } as const
    const page = await store.listPage({ eventId: 'demo', answers: {}, waiting }, 1, 20)
    expect(page.rows).toEqual([])
    expect((await store.operatingFigures()).mailsFailed.count).toBe(0)
  })

  test('an erased registration that was not approved cannot be approved later', async () => {
    const approval = { id: 'letter', decideBy: addMs(9000) }
    const { regNo } = await registerSample(store, { orderId: null, approval })
    const asOwner = (act: NewAction['act']) => buildAction(regNo, { act, actor: 'owner' })
    expect(
      await store.rejectApplication(asOwner('refuse'), { offer: null, mail: null }),
    ).toMatchObject({
      ok: true,
    })
    expect(await store.erasePersonalData(asOwner('erase'))).toMatchObject({ ok: true })
    const paymentMethod = { method: 'transfer' }
    const approvalResult = {
      channel: paymentMethod,
      payUntil: addMs(9000),
      mail: null,
      confirmation: null,
    }
    expect(await store.approve(asOwner('approve'), approvalResult)).toMatchObject({
      error: { code: 'not_now' },
    })
    expect(await readState(regNo)).toBe('refused')
  })

  test('a payment received before the approval counts once the registration is approved', async () => {
    const approval = { id: 'letter', decideBy: addMs(9000) }
    const { regNo } = await registerSample(store, { orderId: null, approval })
    const asOwner = (act: NewAction['act']) => buildAction(regNo, { act, actor: 'owner' })
    await store.rejectApplication(asOwner('refuse'), { offer: null, mail: null })
    const lateTransfer = {
      reference: 'HDFCN52026000010',
      amount: sampleQuote.total,
      paidAt: addMs(1000),
    }
    await store.recordExtraPayment(asOwner('came_again'), { method: 'transfer', ...lateTransfer })
    const listDecisions = async () =>
      (await store.reviews(null)).map((review) => listAllowedDecisions(review))
    expect(await listDecisions()).toEqual([['refund', 'move', 'dismiss']])
    const paymentMethod = { method: 'transfer' }
    const approvalResult = {
      channel: paymentMethod,
      payUntil: addMs(9000),
      mail: null,
      confirmation: null,
    }
    expect(await store.approve(asOwner('approve'), approvalResult)).toMatchObject({ ok: true })
    expect(await listDecisions()).toEqual([['accept', 'refund', 'move', 'dismiss']])
    const [review] = await store.reviews(null)
    const decision = {
      what: 'accept',
      reference: null,
      amount: null,
      why: 'x',
      who: 'Meera',
    } as const
    expect(await store.decideReview(review?.id ?? '', decision, addMs(2000), null)).toMatchObject({
      ok: true,
    })
    expect(await readStored(store, regNo)).toMatchObject({ state: 'complete', inReview: false })
  })

  test.for(['in-process', 'unreachable'] as const)(
    'a registration that may have been paid does not expire: the gateway status is %s',
    async (gatewayState) => {
      const { regNo, orderId } = await registerSample(store, { payUntil: addMs(500) })
      const expireAction = buildAction(regNo, {
        act: 'lapse',
        actor: 'clock',
        who: 'rollcall',
        why: '',
      })
      await store.recordStatusQuery(orderId, addMs(400), addMs(600), gatewayState)
      expect(await store.overdue(addMs(1000), 9)).toEqual([])
      expect(await store.expire(expireAction, newEmail)).toMatchObject({
        error: { code: 'moved_on' },
      })
      await store.recordStatusQuery(orderId, addMs(600), addMs(700), 'no-record')
      expect(await store.overdue(addMs(1000), 9)).toEqual([regNo])
      expect(await store.expire(expireAction, newEmail)).toMatchObject({ ok: true })
      expect(await readState(regNo)).toBe('lapsed')
    },
  )

  describe('the state of a registration', () => {
    test('follows its payments: due, complete, expired if unpaid, and due again after a retry', async () => {
      const first = await registerSample(store)
      expect(await readState(first.regNo)).toBe('to_pay')
      await store.applyPaymentEvent(first.orderId, buildDecline(), null)
      expect(await readState(first.regNo)).toBe('to_pay')
      const second = await registerSample(store)
      await store.applyPaymentEvent(second.orderId, { type: 'expired', at: addMs(2000) }, null)
      expect(await readState(second.regNo)).toBe('lapsed')
      const retryResult = await store.retry(second.regNo, addMs(3000))
      expect(await readState(second.regNo)).toBe('to_pay')
      if (!retryResult.ok) throw new Error(retryResult.error.code)
      await store.applyPaymentEvent(retryResult.value.orderId, buildSale('AP1'), newEmail)
      expect(await readState(second.regNo)).toBe('complete')
      const freeRegistration = await store.register(buildRegistration({ orderId: null }))
      if (!freeRegistration.ok) throw new Error(freeRegistration.error.code)
      expect(await readState(freeRegistration.value.regNo)).toBe('complete')
    })
  })

  describe('a note', () => {
    test('appears in the timeline with its author, time and state', async () => {
      const { regNo } = await registerSample(store)
      expect(await store.addNote(buildAction(regNo))).toMatchObject({
        ok: true,
        value: { regNo, state: 'to_pay', repeated: false },
      })
      expect(await store.actions(regNo)).toEqual([
        {
          id: 1,
          at: instant(addMs(1000)),
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
      const idempotencyKey = { key: 'k1', fingerprint: 'a' }
      await store.addNote(buildAction(regNo, { idempotencyKey }))
      expect(await store.addNote(buildAction(regNo, { idempotencyKey }))).toMatchObject({
        value: { repeated: true },
      })
      expect(
        await store.addNote(
          buildAction(regNo, { idempotencyKey: { key: 'k1', fingerprint: 'b' } }),
        ),
      ).toMatchObject({ error: { code: 'act_key_reused' } })
      expect(await store.actions(regNo)).toHaveLength(1)
    })

    test('is rejected if its author is a viewer or the registration is unknown', async () => {
      const { regNo } = await registerSample(store)
      expect(await store.addNote(buildAction(regNo, { actor: 'viewer' }))).toMatchObject({
        error: { code: 'not_your_role' },
      })
      expect(await store.addNote(buildAction('DEMO000000000000' as RegNo))).toMatchObject({
        error: { code: 'not_there' },
      })
      expect(await store.actions(regNo)).toEqual([])
    })
  })
}
