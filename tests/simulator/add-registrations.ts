/**
 * Simulates manual registrations that are paid at the desk or later. Staff may click twice, or send the request again
 * if there is no response. Checks that one click creates one registration at the current price, and that a payment at
 * the desk counts.
 */
import { INR, dayOf, toMajorUnits } from '../../engine/index.ts'
import type { ManualMethod } from '../../engine/index.ts'
import type { ManualRegistrationResponse } from '../../engine/api.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { normaliseReference, respellReference } from './bank.ts'
import type { Bank } from './bank.ts'
import type { Timeline } from './virtual-time.ts'
import { createAnswers, getCurrency, findPrice } from './events.ts'
import type { EventId, Version } from './events.ts'
import type { StaffClient } from './office-sessions.ts'
import type { SimulatedResponse } from './server.ts'
import type { StaffStep } from './plan.ts'
import type { Violation } from './check-payments.ts'
import type { Random } from './random.ts'
import { canAddRegistration } from './expected-permissions.ts'
import type { StaffName } from './expected-permissions.ts'

/** The payment methods at the desk, each with its name in the bank's records. */
const METHOD_BY_MODE = { cash: 'cash', upi: 'desk', card: 'machine' } as const satisfies Record<
  string,
  ManualMethod
>
const MAX_TRIES = 3
const RETRY_MS = 5_000

type StoredRegistration = {
  readonly total: number
  readonly state: string
  readonly in_review: 0 | 1
  readonly slips: number
}
const STORED_REGISTRATION_SQL = `SELECT r.total, r.state, r.in_review,
  (SELECT count(*) FROM captures c WHERE c.registration_id = r.id AND c.reference = ? AND c.state IN ('fits', 'accepted') AND c.amount = r.total) AS slips
  FROM registrations r WHERE r.reg_no = ?`

export type ManualRegistrationContext = {
  readonly event: EventId
  readonly timeline: Timeline
  readonly bank: Bank
  readonly client: StaffClient
  readonly sql: () => Sql
  readonly getVersion: (event: string) => Version
  readonly reportViolation: (violation: Violation | null) => void
  /** Adds the registration to those that simulated staff can choose. */
  readonly addRegNo: (regNo: string) => void
}

export async function addAtDesk(
  context: ManualRegistrationContext,
  staffName: StaffName,
  { isSentTwice, isSignedOut }: Pick<StaffStep, 'isSentTwice' | 'isSignedOut'>,
  random: Random,
  delegateNumber: number,
): Promise<void> {
  const { event, timeline, bank, client, sql, reportViolation, addRegNo: addRegistration } = context
  const token = await client.signIn(staffName)
  if (token === null) return
  const isMember = random.chance(0.3)
  const paymentMode = random.pick(['cash', 'upi', 'card'] as const)
  const isPaid = random.chance(0.7)
  const today = dayOf(timeline.now())
  const category = isMember ? 'member' : 'non-member'
  const price = findPrice(context.getVersion(event), category, today)
  if (price === null) return
  // Staff sometimes enter a slip number that is already recorded.
  const usedSlips = await sql()<{ reference: string }>(
    "SELECT reference FROM captures WHERE source IN ('transfer', 'upi', 'cheque')",
  ).all()
  const isUsed = paymentMode !== 'cash' && usedSlips.length > 0 && random.chance(0.2)
  const slip = !isPaid
    ? ''
    : isUsed
      ? respellReference(normaliseReference(random.pick(usedSlips).reference), random)
      : bank.pay(METHOD_BY_MODE[paymentMode], price, today, getCurrency(event, category)).reference
  const payload = {
    event,
    key: client.nextClick(),
    answers: {
      ...createAnswers(delegateNumber, isMember, null, 'transfer'),
      total_amount: toMajorUnits(price, INR),
    },
    ...(isPaid ? { way: 'desk', paid: { mode: paymentMode, slip } } : { way: '' }),
  }
  if (isSignedOut) await client.call('POST', '/admin/logout/', token)
  const send = async (): Promise<string | null> => {
    const addResponse = await sendWithRetries(
      () => client.call('POST', '/admin/add/', token, payload),
      timeline,
    )
    if (addResponse?.status !== 201) return null
    const { reg_no: regNo, state } = JSON.parse(addResponse.body) as ManualRegistrationResponse
    addRegistration(regNo)
    if (isSignedOut)
      reportViolation({
        invariant: 'an expired session gives no access',
        cause: `${staffName} adds ${regNo}`,
      })
    if (!canAddRegistration(staffName, event))
      reportViolation({
        invariant: 'staff perform only actions that their role allows',
        cause: `${staffName} adds ${regNo}`,
      })
    const storedRegistration = await sql()<StoredRegistration>(STORED_REGISTRATION_SQL).get(
      slip,
      regNo,
    )
    const cause = `${regNo} is ${state}: ${JSON.stringify(storedRegistration ?? null)}`
    if (storedRegistration?.total !== price)
      reportViolation({ invariant: 'a manual registration has the current price', cause })
    // Staff may have cancelled or corrected the registration between the click and the response.
    const isSettled = storedRegistration?.state === 'complete' && storedRegistration.slips === 1
    if (isPaid && state === 'complete' && storedRegistration?.state === 'complete' && !isSettled)
      reportViolation({ invariant: 'a payment at the desk counts once', cause })
    if (isPaid && isUsed && state === 'complete')
      reportViolation({
        invariant: 'each payment at the bank is counted once',
        cause: `${slip}: ${cause}`,
      })
    if (isPaid && storedRegistration?.state === 'to_pay' && storedRegistration.in_review === 0)
      reportViolation({ invariant: 'a payment at the desk counts once', cause })
    return regNo
  }
  const createdRegNos = await Promise.all(isSentTwice ? [send(), send()] : [send()])
  const regNos = new Set(createdRegNos.filter((number) => number !== null))
  if (regNos.size > 1)
    reportViolation({
      invariant: 'one click at the desk creates one registration',
      cause: [...regNos].join(', '),
    })
}

/** Repeats the request until there is a response, as the page does. */
async function sendWithRetries(
  send: () => Promise<SimulatedResponse | null>,
  timeline: Timeline,
): Promise<SimulatedResponse | null> {
  for (let attempts = 1; ; attempts++) {
    const response = await send()
    if ((response !== null && response.status !== 503) || attempts >= MAX_TRIES) return response
    await timeline.wait(RETRY_MS)
  }
}
