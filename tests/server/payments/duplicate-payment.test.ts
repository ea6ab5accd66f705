/** The same person pays twice in one event: what the emails, the page and the office say, on a server that listens. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  ActionsAnswer,
  ListAnswer,
  MyAnswer,
  OfficeRegistrationAnswer,
  RegisterAnswer,
  ReviewsAnswer,
  StatsAnswer,
} from '../../../engine/api.ts'
import { issueLink } from '../../../server/registration/access-link.ts'
import { cheapHash, PASSWORD } from '../office/office.ts'
import { delegate, openRig } from './server-with-gateway.ts'
import type { Placed, Rig } from './server-with-gateway.ts'

/** Of the registration that `delegate` fills in. */
const AMOUNT = 7080

let rig: Rig
let office: Readonly<Record<string, string>>
beforeAll(async () => {
  rig = await openRig()
  const { store } = rig.parts().deps
  await store.addAdmin('office', await cheapHash(PASSWORD), rig.now())
  const { token } = await send<{ token: string }>('/admin/login/', {
    username: 'office',
    password: PASSWORD,
  })
  office = { authorization: `Bearer ${token}` }
})
afterAll(() => rig.close())

const send = async <T>(path: string, body: object, headers: object = {}): Promise<T> => {
  const answer = await fetch(`${rig.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { code: answer.status, ...((await answer.json()) as object) } as T
}
const read = async <T>(path: string, headers: Readonly<Record<string, string>> = {}): Promise<T> =>
  (await (await fetch(`${rig.url}${path}`, { headers })).json()) as T

const pay = async (answers: Readonly<Record<string, string>> = {}): Promise<Placed> => {
  const placed = await rig.place(answers)
  await rig.sandbox().runAction(placed.orderId, 'pay')
  await rig.settled()
  return placed
}
const mailsOf = (regNo: string) =>
  rig.rows(
    "SELECT subject, body FROM mail_queue m JOIN registrations r ON r.id = m.registration_id WHERE r.reg_no = ? AND kind = 'confirmation'",
    regNo,
  )
/** The calls of the page that the link of the email opens. */
const mailedPage = async (regNo: string): Promise<string> => {
  const stored = await rig.parts().deps.store.registration(regNo)
  if (stored === null) throw new Error(`no registration ${regNo}`)
  return `/api${new URL(await issueLink(rig.parts().deps, stored, 'mail')).pathname}/`
}
const listed = async () => {
  const path = '/admin/afpicon/registrations/?waiting=second_payment'
  return (await read<ListAnswer>(path, office)).registrations.map(({ reg_no }) => reg_no)
}
const onDashboard = async () => {
  const { data } = await read<StatsAnswer>('/admin/dashboard/stats/', office)
  return data.waiting.find(({ id }) => id === 'second_payment')?.events[0]?.count ?? 0
}

test('a delegate who pays again in a second tab sees that it is the second payment and requests the refund; staff see both', async () => {
  const person = { full_name: 'Dr Jürgen D’Souza', email: 'jurgen@example.org' }
  const first = await pay(person)
  const second = await pay({ full_name: 'JÜRGEN D’SOUZA', email: 'Jurgen@example.org' })
  expect(mailsOf(first.regNo)[0]?.['body']).not.toContain('second payment')
  const [mail] = mailsOf(second.regNo)
  expect(mail?.['subject']).toContain('(second payment)')
  expect(mail?.['body']).toContain(
    `This is the second payment for this name and email address. You had already paid for registration ${first.regNo}. If you paid twice by mistake, open the link below and choose “Request a refund”.`,
  )

  const page = await mailedPage(second.regNo)
  expect((await read<MyAnswer>(await mailedPage(first.regNo))).second_payment).toBeNull()
  expect((await read<MyAnswer>(page)).second_payment).toEqual({
    first: first.regNo,
    amount: AMOUNT,
    asked_at: null,
  })
  expect(await send(`${page}acts/`, { act: 'ask_refund' })).toMatchObject({
    code: 200,
    message: 'The organisers have your request and will email you.',
  })
  expect(await send(`${page}acts/`, { act: 'ask_refund' })).toMatchObject({ code: 'not_now' })
  expect((await read<MyAnswer>(page)).second_payment?.asked_at).toBe('2025-10-10T12:00:00+05:30')

  expect((await listed()).toSorted()).toEqual([first.regNo, second.regNo].toSorted())
  expect(await onDashboard()).toBe(2)
  for (const [one, other] of [
    [first, second],
    [second, first],
  ] as const) {
    const shown = await read<OfficeRegistrationAnswer>(`/admin/registrations/${one.regNo}/`, office)
    expect(shown.paid_by_same_person).toEqual([other.regNo])
  }
  expect(
    await send(
      `/admin/registrations/${second.regNo}/acts/`,
      { act: 'cancel', why: 'Paid twice.', pay_back: 0 },
      office,
    ),
  ).toMatchObject({ code: 200 })
  expect([await listed(), await onDashboard()]).toEqual([[], 0])
  expect((await read<MyAnswer>(page)).second_payment).toBeNull()
})

test('registering with the name and email address of another person reveals nothing about them', async () => {
  const person = { full_name: 'Meera Nair', email: 'meera@example.org' }
  /** What the form answers and the result page shows, without what is of each registration alone. */
  const seen = async (answers: Readonly<Record<string, string>>) => {
    const formed = await send<RegisterAnswer>('/api/afpicon/register/', { ...delegate, ...answers })
    const orderId = formed.payment_data?.orderid ?? ''
    if (formed.payment_data !== undefined) await rig.handOff(formed.payment_data)
    await rig.sandbox().runAction(orderId, 'pay')
    await rig.settled()
    const result = await read<object>(`/api/afpicon/registrations/${formed.reg_no}/`)
    expect(result).toMatchObject({ status: 'success', registration: { reg_no: formed.reg_no } })
    const own = await issueLink(rig.parts().deps, {
      regNo: formed.reg_no as never,
      eventId: 'afpicon2026',
    })
    const page = `/api${new URL(own).pathname}/`
    const mine = await read<MyAnswer>(page)
    const asked = await send<object>(`${page}acts/`, { act: 'ask_refund' })
    return {
      regNo: formed.reg_no,
      names: [formed, result, mine].map((one) => Object.keys(one)),
      second: mine.second_payment,
      asked,
      text: JSON.stringify([formed, result, mine]),
    }
  }
  const first = await seen(person)
  const again = await seen(person)
  const fresh = await seen({ full_name: 'Other Person', email: 'other@example.org' })
  expect(mailsOf(again.regNo)[0]?.['subject']).toContain('(second payment)')
  for (const one of [again, fresh]) {
    expect(one.text).not.toContain(first.regNo)
    expect([one.second, one.names, one.asked]).toEqual([null, first.names, first.asked])
  }
  expect(again.asked).toMatchObject({ code: 'not_now' })
})

test('a delegate who pays twice is offered no share of the second payment, and staff are proposed all of it', async () => {
  const person = { full_name: 'Lakshmi Menon', email: 'lakshmi@example.org' }
  const first = await pay(person)
  const second = await pay(person)
  const page = await mailedPage(second.regNo)
  expect((await read<MyAnswer>(page)).cancel).toBeNull()
  expect((await read<MyAnswer>(await mailedPage(first.regNo))).cancel).not.toBeNull()
  const acts = (regNo: string) => read<ActionsAnswer>(`/admin/registrations/${regNo}/acts/`, office)
  expect(await acts(second.regNo)).toMatchObject({
    second_payment: { first: first.regNo, amount: AMOUNT, asked_at: null },
    proposed_back: AMOUNT,
  })
  expect(await acts(first.regNo)).toMatchObject({ second_payment: null })

  const path = '/admin/afpicon/registrations/'
  const asked = async () =>
    (await read<ListAnswer>(`${path}?waiting=second_payment`, office)).refund_requested
  const requests = async () =>
    (await read<ReviewsAnswer>('/api/admin/reviews/', office)).refund_requests
  expect([await asked(), await requests()]).toEqual([[], []])
  await send(`${page}acts/`, { act: 'ask_refund' })
  expect(await asked()).toEqual([second.regNo])
  expect(await requests()).toEqual([{ event_id: 'afpicon2026', count: 1 }])
  expect((await acts(second.regNo)).second_payment?.asked_at).toBe('2025-10-10T12:00:00+05:30')
  expect((await read<ListAnswer>(path, office)).refund_requested).toBeUndefined()
  const withdraw = () => send(`${page}acts/`, { act: 'withdraw_refund' })
  expect(await withdraw()).toMatchObject({
    code: 200,
    message: 'You have withdrawn your request. Nothing is refunded.',
  })
  expect([await asked(), await requests()]).toEqual([[], []])
  expect((await acts(second.regNo)).second_payment?.asked_at).toBeNull()
  expect(await withdraw()).toMatchObject({ code: 'not_now' })
  const shared = await issueLink(rig.parts().deps, {
    regNo: second.regNo as never,
    eventId: 'afpicon2026',
  })
  expect(
    await send(`/api${new URL(shared).pathname}/acts/`, { act: 'withdraw_refund' }),
  ).toMatchObject({ code: 'not_now' })
  await send(`${page}acts/`, { act: 'ask_refund' })
  expect(await asked()).toEqual([second.regNo])
  await send(`/admin/registrations/${second.regNo}/acts/`, { act: 'note', why: 'Rang.' }, office)
  expect([await asked(), await requests()]).toEqual([[], []])
})
