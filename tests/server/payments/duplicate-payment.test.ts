/**
 * Duplicate payments by one person for one event: the emails, self-service page and office pages of a running server.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type {
  ActionsResponse,
  PaymentData,
  ListResponse,
  SelfServiceResponse,
  OfficeRegistrationResponse,
  RegisterResponse,
  RegistrationResponse,
  ReviewsResponse,
  StatsResponse,
} from '../../../engine/api.ts'
import { issueLink } from '../../../server/registration/access-link.ts'
import { hashCheaply, PASSWORD } from '../office/office.ts'
import { delegate, openTestServer } from './server-with-gateway.ts'
import type { PlacedOrder, TestServer } from './server-with-gateway.ts'

/** The total in rupees of a registration with the answers of `delegate`. */
const AMOUNT = 7080

let testServer: TestServer
let office: Readonly<Record<string, string>>
beforeAll(async () => {
  testServer = await openTestServer()
  const { store } = testServer.parts().deps
  await store.addAdmin('office', await hashCheaply(PASSWORD), testServer.now())
  const { token } = await send<{ token: string }>('/admin/login/', {
    username: 'office',
    password: PASSWORD,
  })
  office = { authorization: `Bearer ${token}` }
})
afterAll(() => testServer.close())

const send = async <T>(path: string, body: object, headers: object = {}): Promise<T> => {
  const response = await fetch(`${testServer.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { code: response.status, ...((await response.json()) as object) } as T
}
const read = async <T>(path: string, headers: Readonly<Record<string, string>> = {}): Promise<T> =>
  (await (await fetch(`${testServer.url}${path}`, { headers })).json()) as T

const registerAndPay = async (
  answers: Readonly<Record<string, string>> = {},
): Promise<PlacedOrder> => {
  const order = await testServer.placeOrder(answers)
  await testServer.sandbox().runAction(order.orderId, 'pay')
  await testServer.waitUntilIdle()
  return order
}
const listEmails = (regNo: string) =>
  testServer.rows(
    "SELECT subject, body FROM mail_queue m JOIN registrations r ON r.id = m.registration_id WHERE r.reg_no = ? AND kind = 'confirmation'",
    regNo,
  )
/** Returns the API path of the self-service page that the emailed link opens. */
const issueSelfServicePath = async (regNo: string): Promise<string> => {
  const registration = await testServer.parts().deps.store.registration(regNo)
  if (registration === null) throw new Error(`no registration ${regNo}`)
  return `/api${new URL(await issueLink(testServer.parts().deps, registration, 'mail')).pathname}/`
}
const listDuplicates = async () => {
  const path = '/admin/afpicon/registrations/?waiting=second_payment'
  return (await read<ListResponse>(path, office)).registrations.map(({ reg_no }) => reg_no)
}
const readQueueCount = async () => {
  const { data } = await read<StatsResponse>('/admin/dashboard/stats/', office)
  return data.waiting.find(({ id }) => id === 'second_payment')?.events[0]?.count ?? 0
}

test('a delegate who pays again in a second tab sees that it is the second payment and requests the refund; staff see both payments', async () => {
  const person = { full_name: 'Dr Jürgen D’Souza', email: 'jurgen@example.org' }
  const first = await registerAndPay(person)
  const second = await registerAndPay({ full_name: 'JÜRGEN D’SOUZA', email: 'Jurgen@example.org' })
  expect(listEmails(first.regNo)[0]?.['body']).not.toContain('second payment')
  const [mail] = listEmails(second.regNo)
  expect(mail?.['subject']).toContain('(second payment)')
  expect(mail?.['body']).toContain(
    `This is the second payment for this name and email address. You had already paid for registration ${first.regNo}. If you paid twice by mistake, open the link below and choose “Request a refund”.`,
  )

  const pagePath = await issueSelfServicePath(second.regNo)
  expect(
    (await read<SelfServiceResponse>(await issueSelfServicePath(first.regNo))).second_payment,
  ).toBeNull()
  expect((await read<SelfServiceResponse>(pagePath)).second_payment).toEqual({
    first: first.regNo,
    first_amount: AMOUNT,
    amount: AMOUNT,
    asked_at: null,
  })
  expect(await send(`${pagePath}acts/`, { act: 'ask_refund' })).toMatchObject({
    code: 200,
    message: 'The organisers have received your request and will email you.',
  })
  expect(await send(`${pagePath}acts/`, { act: 'ask_refund' })).toMatchObject({ code: 'not_now' })
  expect((await read<SelfServiceResponse>(pagePath)).second_payment?.asked_at).toBe(
    '2025-10-10T12:00:00+05:30',
  )

  expect((await listDuplicates()).toSorted()).toEqual([first.regNo, second.regNo].toSorted())
  expect(await readQueueCount()).toBe(2)
  for (const [order, otherOrder] of [
    [first, second],
    [second, first],
  ] as const) {
    const response = await read<OfficeRegistrationResponse>(
      `/admin/registrations/${order.regNo}/`,
      office,
    )
    expect(response.paid_by_same_person).toEqual([otherOrder.regNo])
  }
  expect(
    await send(
      `/admin/registrations/${second.regNo}/acts/`,
      { act: 'cancel', why: 'Paid twice.', pay_back: 0 },
      office,
    ),
  ).toMatchObject({ code: 200 })
  expect([await listDuplicates(), await readQueueCount()]).toEqual([[], 0])
  expect((await read<SelfServiceResponse>(pagePath)).second_payment).toBeNull()
})

test("registering with another person's name and email address reveals nothing about them", async () => {
  const person = { full_name: 'Meera Nair', email: 'meera@example.org' }
  /** Returns the form's response and the result page, without the parts that differ per registration. */
  const readVisibleData = async (answers: Readonly<Record<string, string>>) => {
    const formResponse = await send<RegisterResponse>('/api/afpicon/register/', {
      ...delegate,
      ...answers,
    })
    const orderId = formResponse.payment_data?.orderid ?? ''
    if (formResponse.payment_data !== undefined) await testServer.handOff(formResponse.payment_data)
    await testServer.sandbox().runAction(orderId, 'pay')
    await testServer.waitUntilIdle()
    const result = await read<object>(`/api/afpicon/registrations/${formResponse.reg_no}/`)
    expect(result).toMatchObject({
      status: 'success',
      registration: { reg_no: formResponse.reg_no },
    })
    const link = await issueLink(testServer.parts().deps, {
      regNo: formResponse.reg_no as never,
      eventId: 'afpicon2026',
    })
    const pagePath = `/api${new URL(link).pathname}/`
    const selfServicePage = await read<SelfServiceResponse>(pagePath)
    const refundRequest = await send<object>(`${pagePath}acts/`, { act: 'ask_refund' })
    return {
      regNo: formResponse.reg_no,
      names: [formResponse, result, selfServicePage].map((visibleResponse) =>
        Object.keys(visibleResponse),
      ),
      second: selfServicePage.second_payment,
      asked: refundRequest,
      text: JSON.stringify([formResponse, result, selfServicePage]),
    }
  }
  const first = await readVisibleData(person)
  const duplicateView = await readVisibleData(person)
  const newPersonView = await readVisibleData({
    full_name: 'Other Person',
    email: 'other@example.org',
  })
  expect(listEmails(duplicateView.regNo)[0]?.['subject']).toContain('(second payment)')
  for (const view of [duplicateView, newPersonView]) {
    expect(view.text).not.toContain(first.regNo)
    expect([view.second, view.names, view.asked]).toEqual([null, first.names, first.asked])
  }
  expect(duplicateView.asked).toMatchObject({ code: 'not_now' })
})

test('a delegate who pays twice is offered no partial refund of the second payment, and the office proposes a full refund', async () => {
  const person = { full_name: 'Lakshmi Menon', email: 'lakshmi@example.org' }
  const first = await registerAndPay(person)
  const second = await registerAndPay(person)
  const pagePath = await issueSelfServicePath(second.regNo)
  expect((await read<SelfServiceResponse>(pagePath)).cancel).toBeNull()
  expect(
    (await read<SelfServiceResponse>(await issueSelfServicePath(first.regNo))).cancel,
  ).not.toBeNull()
  const readActions = (regNo: string) =>
    read<ActionsResponse>(`/admin/registrations/${regNo}/acts/`, office)
  expect(await readActions(second.regNo)).toMatchObject({
    second_payment: { first: first.regNo, first_amount: AMOUNT, amount: AMOUNT, asked_at: null },
    proposed_back: AMOUNT,
  })
  expect(await readActions(first.regNo)).toMatchObject({
    second_payment: null,
    duplicates_version: `${second.regNo}:${AMOUNT * 100}:0:1`,
  })

  const path = '/admin/afpicon/registrations/'
  const listRequestedRefunds = async () =>
    (await read<ListResponse>(`${path}?waiting=second_payment`, office)).refund_requested
  const countRequestsByEvent = async () =>
    (await read<ReviewsResponse>('/api/admin/reviews/', office)).refund_requests
  expect([await listRequestedRefunds(), await countRequestsByEvent()]).toEqual([[], []])
  await send(`${pagePath}acts/`, { act: 'ask_refund' })
  expect(await listRequestedRefunds()).toEqual([second.regNo])
  expect(await countRequestsByEvent()).toEqual([{ event_id: 'afpicon2026', count: 1 }])
  expect((await readActions(second.regNo)).second_payment?.asked_at).toBe(
    '2025-10-10T12:00:00+05:30',
  )
  expect((await read<ListResponse>(path, office)).refund_requested).toBeUndefined()
  const withdrawRequest = () => send(`${pagePath}acts/`, { act: 'withdraw_refund' })
  expect(await withdrawRequest()).toMatchObject({
    code: 200,
    message: 'You have withdrawn your request. Nothing will be refunded.',
  })
  expect([await listRequestedRefunds(), await countRequestsByEvent()]).toEqual([[], []])
  expect((await readActions(second.regNo)).second_payment?.asked_at).toBeNull()
  expect(await withdrawRequest()).toMatchObject({ code: 'not_now' })
  const sharedLink = await issueLink(testServer.parts().deps, {
    regNo: second.regNo as never,
    eventId: 'afpicon2026',
  })
  expect(
    await send(`/api${new URL(sharedLink).pathname}/acts/`, { act: 'withdraw_refund' }),
  ).toMatchObject({ code: 'not_now' })
  await send(`${pagePath}acts/`, { act: 'ask_refund' })
  expect(await listRequestedRefunds()).toEqual([second.regNo])
  await send(`/admin/registrations/${second.regNo}/acts/`, { act: 'note', why: 'Rang.' }, office)
  expect([await listRequestedRefunds(), await countRequestsByEvent()]).toEqual([[], []])
})

describe('two treasurers cannot refund both payments of one person by mistake', () => {
  const openPage = (regNo: string) =>
    read<ActionsResponse>(`/admin/registrations/${regNo}/acts/`, office)
  const payTwice = async (fullName: string) => {
    const person = { full_name: fullName, email: `${fullName.replace(' ', '.')}@example.org` }
    const [first, second] = [await registerAndPay(person), await registerAndPay(person)]
    return [await openPage(first.regNo), await openPage(second.regNo)] as const
  }
  const refund = (
    { reg_no: regNo, duplicates_version: duplicatesVersion }: ActionsResponse,
    amount: unknown = AMOUNT,
  ) =>
    send(
      `/admin/registrations/${regNo}/acts/`,
      { act: 'refund', why: 'Twice.', amount, duplicates_version: duplicatesVersion },
      office,
    )
  const staleVersionError = {
    code: 'not_now',
    message:
      'The other payments of this person have changed since you opened the page. Open it again, and check whether to refund this payment too.',
  }

  test('refuses to refund the first payment from a page opened before the second was refunded', async () => {
    const [first, second] = await payTwice('Asha Treasurer')
    expect(await refund(second)).toMatchObject({ code: 200 })
    expect(await refund(first)).toMatchObject(staleVersionError)
    const current = await openPage(first.reg_no)
    expect(current.kept).toBe(AMOUNT)
    expect(await refund(current)).toMatchObject({ code: 200 })
  })

  test('refuses to refund the first payment from an outdated page after the second was refunded less a bank charge', async () => {
    const [first, second] = await payTwice('Binu Treasurer')
    expect(await refund(second, AMOUNT - 30)).toMatchObject({ code: 200 })
    expect(await refund(first)).toMatchObject(staleVersionError)
    expect(await refund(await openPage(first.reg_no))).toMatchObject({ code: 200 })
  })

  test('refuses to refund the first payment from a page opened before the second was paid', async () => {
    const person = { full_name: 'Chitra Treasurer', email: 'chitra@example.org' }
    const page = await openPage((await registerAndPay(person)).regNo)
    await registerAndPay(person)
    expect(await refund(page)).toMatchObject(staleVersionError)
  })

  test('refuses to refund the first payment after the second was cancelled and later refunded', async () => {
    const [, second] = await payTwice('Gita Treasurer')
    const cancellation = { act: 'cancel', why: 'Twice.', pay_back: 0, kept: AMOUNT }
    const path = `/admin/registrations/${second.reg_no}/acts/`
    expect(
      await send(path, { ...cancellation, duplicates_version: second.duplicates_version }, office),
    ).toMatchObject({ code: 200 })
    const [firstRegNo = ''] = second.duplicates_version.split(':')
    const [first, cancelled] = [await openPage(firstRegNo), await openPage(second.reg_no)]
    expect(await refund(cancelled)).toMatchObject({ code: 200 })
    expect(await refund(first)).toMatchObject(staleVersionError)
  })

  test('refuses to refund the first payment from a page opened before the second was paid and refunded', async () => {
    const person = { full_name: 'Hema Treasurer', email: 'hema@example.org' }
    const page = await openPage((await registerAndPay(person)).regNo)
    const second = await openPage((await registerAndPay(person)).regNo)
    expect(await refund(second)).toMatchObject({ code: 200 })
    expect(await refund(page)).toMatchObject(staleVersionError)
  })

  test('refuses a duplicates_version that is a number', async () => {
    const [first] = await payTwice('Farah Treasurer')
    const numeric = { ...first, duplicates_version: 5 as unknown as string }
    expect(await refund(numeric)).toMatchObject({
      message: 'Send duplicates_version as the string returned in the list of actions.',
    })
  })
})

/** Sends the form as a browser with this cookie. */
const submitForm = async (
  answers: Readonly<Record<string, string>>,
  cookie = '',
  confirmedRegNo?: string,
): Promise<{ code: number; body: Record<string, unknown>; cookie: string }> => {
  const response = await fetch(`${testServer.url}/api/afpicon/register/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'rollcall-form': '1',
      cookie,
      ...(confirmedRegNo !== undefined && { 'rollcall-again': confirmedRegNo }),
    },
    body: JSON.stringify({ ...delegate, ...answers }),
  })
  const body = (await response.json()) as Record<string, unknown>
  const [setCookie = ''] = response.headers.getSetCookie()
  return { code: response.status, body, cookie: setCookie }
}

/** Pays or declines the payment of a submitted form at the gateway. Returns the registration number. */
const pay = async (
  { body }: Awaited<ReturnType<typeof submitForm>>,
  action: 'pay' | 'decline' = 'pay',
): Promise<string> => {
  const data = body['payment_data'] as PaymentData
  await testServer.handOff(data)
  await testServer.sandbox().runAction(data.orderid, action)
  await testServer.waitUntilIdle()
  return String(body['reg_no'])
}

test('a second window of the same browser registers again only after confirmation, and only one of 64 concurrent forms leads to the gateway', async () => {
  const person = { full_name: 'Dr Second Window', email: 'second.window@example.org' }
  const requestCookies = async (headers = {}) =>
    (
      await fetch(`${testServer.url}/api/events/afpicon2026/browser/`, { headers })
    ).headers.getSetCookie()
  // Other sites cannot send the header, so they cannot replace a browser's cookie.
  expect(await requestCookies()).toEqual([])
  const [setCookie = ''] = await requestCookies({ 'rollcall-form': '1' })
  expect(setCookie).toMatch(
    /^rollcall_form_afpicon2026=[\w-]{43}; Max-Age=2592000; Path=\/api; HttpOnly; SameSite=Strict$/,
  )
  const cookie = setCookie.split(';')[0] ?? ''
  expect(await requestCookies({ 'rollcall-form': '1', cookie })).toEqual([setCookie])
  const responses = await Promise.all(Array.from({ length: 64 }, () => submitForm(person, cookie)))
  const [first, ...otherResponses] = responses.filter(({ code }) => code === 201)
  expect([first?.body['payment_data'], otherResponses]).toEqual([expect.any(Object), []])
  const regNo = String(first?.body['reg_no'])
  const warnings = responses.filter(({ code }) => code === 409).map(({ body }) => body)
  expect(warnings).toHaveLength(63)
  expect(warnings[0]).toEqual({
    status: 'error',
    code: 'same_person',
    message: `You registered on 10 October 2025: registration ${regNo}. Its payment of ₹\u00a07,080 may be in progress, for example in another window.`,
    reg_no: regNo,
  })
  expect(new Set(warnings.map((body) => JSON.stringify(body))).size).toBe(1)
  const otherSpelling = { full_name: 'SECOND WINDOW', email: 'Second.Window+2@Example.org' }
  expect(await submitForm(otherSpelling, cookie)).toMatchObject({ code: 409 })
  if (first === undefined) throw new Error('no form was registered')
  await pay(first)
  expect((await submitForm(person, cookie)).body['message']).toBe(
    `You have already registered and paid: registration ${regNo}, ₹\u00a07,080, on 10 October 2025.`,
  )
  const second = await submitForm(person, cookie, regNo)
  expect(second.code).toBe(201)
  expect(
    testServer.rows('SELECT 1 FROM paid_persons WHERE person LIKE ?', '%second.window%'),
  ).toHaveLength(1)
  // In this browser, the result page says that this is the second payment, and offers to request a refund.
  const secondRegNo = await pay(second)
  const otherResponse = await submitForm(person)
  const otherRegNo = await pay(otherResponse)
  expect(await testServer.parts().samePersonEmails.run()).toBe(1)
  const readResultPage = (number: string, browser = '') =>
    read<RegistrationResponse>(`/api/afpicon/registrations/${number}/`, { cookie: browser })
  const performActionAs = (number: string, act: string, browser = '') =>
    send(
      `/api/events/afpicon2026/registrations/${number}/acts/`,
      { act },
      { cookie: browser, 'rollcall-form': '1' },
    )
  const duplicate = { first: regNo, first_amount: AMOUNT, amount: AMOUNT, asked_at: null }
  expect(await readResultPage(secondRegNo, cookie)).toMatchObject({ paid_twice: duplicate })
  const otherBrowser = otherResponse.cookie.split(';')[0]
  const refusal = await performActionAs('AFPI0', 'ask_refund', cookie)
  for (const [number, browser] of [
    [regNo, cookie],
    [secondRegNo, ''],
    [secondRegNo, otherBrowser],
    [otherRegNo, otherBrowser],
    [otherRegNo, cookie],
  ] as const) {
    expect(Object.keys(await readResultPage(number, browser))).not.toContain('paid_twice')
    expect(await performActionAs(number, 'ask_refund', browser)).toEqual(refusal)
  }
  expect(refusal).toMatchObject({ code: 'not_now' })
  expect(await performActionAs(secondRegNo, 'ask_cancel', cookie)).toMatchObject({
    code: 'act_unknown',
  })
  // A page on another subdomain sends the cookie, but not the header.
  expect(
    await send(
      `/api/events/afpicon2026/registrations/${secondRegNo}/acts/`,
      { act: 'ask_refund' },
      { cookie },
    ),
  ).toEqual(refusal)
  expect(await performActionAs(secondRegNo, 'ask_refund', cookie)).toMatchObject({ code: 200 })
  expect((await readResultPage(secondRegNo, cookie)).paid_twice?.asked_at).toBe(
    '2025-10-10T12:00:00+05:30',
  )
  expect(await performActionAs(secondRegNo, 'withdraw_refund', cookie)).toMatchObject({ code: 200 })
  expect((await readResultPage(secondRegNo, cookie)).paid_twice?.asked_at).toBeNull()
})

test('“Try paying again” for an older registration asks for confirmation in a browser that was used to pay for another registration', async () => {
  const person = { full_name: 'Dr Old Tab', email: 'old.tab@example.org' }
  const declined = await submitForm(person)
  const [cookie = ''] = declined.cookie.split(';')
  const oldRegNo = await pay(declined, 'decline')
  const paidRegNo = await pay(await submitForm(person, cookie))
  const message = `You have already paid for another registration: ${paidRegNo}, ₹\u00a07,080, on 10 October 2025. To pay for this one too, press the button again.`
  const formHeader = { 'rollcall-form': '1' }
  const retry = (headers: object) =>
    send<object>('/api/payment/retry/', { order_id: oldRegNo, email: person.email }, headers)
  expect(await retry({ ...formHeader, cookie })).toMatchObject({ code: 'same_person', message })
  const token = (await issueSelfServicePath(oldRegNo)).split('/').at(-2) ?? ''
  expect(await send('/api/payment/resume/', { token }, formHeader)).toMatchObject({
    code: 'same_person',
  })
  // Other browsers and other callers learn nothing about the other registration.
  const otherCookie = (await submitForm(person)).cookie.split(';')[0]
  for (const headers of [{}, formHeader, { ...formHeader, cookie: otherCookie }, { cookie }])
    expect(await retry(headers)).toMatchObject({ code: 201 })
  const confirm = (regNo: string) => retry({ ...formHeader, cookie, 'rollcall-again': regNo })
  expect(await confirm('AFPI0')).toMatchObject({ code: 'same_person' })
  expect(await confirm(paidRegNo)).toMatchObject({ code: 201 })
  await testServer.parts().samePersonEmails.run()
})

test('another browser and a request without a cookie register as usual, with the same response as for a new person', async () => {
  const person = { full_name: 'Dr Known Delegate', email: 'known@example.org' }
  const first = await registerAndPay(person)
  const response = await send<RegisterResponse & { code: number }>('/api/afpicon/register/', {
    ...delegate,
    ...person,
  })
  expect(response.code).toBe(201)
  const describeResponse = ({ code, body, cookie }: Awaited<ReturnType<typeof submitForm>>) => ({
    code,
    body: Object.keys(body),
    data: Object.keys(body['payment_data'] ?? {}),
    message: body['message'],
    cookie: cookie.replace(/=[\w-]{43};/, ''),
  })
  // Looking up a known person takes longer, so both responses wait for the next multiple of 10 ms.
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const newPersonResponse = await submitForm({ full_name: 'Dr New', email: 'new@example.org' })
  expect(timers.mock.calls).toContainEqual([
    expect.any(Function),
    expect.toSatisfy((ms: number) => ms > 0 && ms <= 10 && !Number.isInteger(ms)),
  ])
  timers.mockRestore()
  for (const confirmedRegNo of [undefined, first.regNo]) {
    const knownPersonResponse = await submitForm(person, '', confirmedRegNo)
    expect(knownPersonResponse.code).toBe(201)
    expect(describeResponse(knownPersonResponse)).toEqual(describeResponse(newPersonResponse))
    expect(JSON.stringify(knownPersonResponse)).not.toContain(first.regNo)
  }
  // Opening the emailed link proves that another browser belongs to the delegate; opening the link that the form shows
  // does not.
  const openLink = async (page: string) =>
    (
      await fetch(`${testServer.url}${page}`, { headers: { 'sec-fetch-site': 'same-origin' } })
    ).headers
      .getSetCookie()[0]
      ?.split(';')[0]
  const registration = { regNo: first.regNo as never, eventId: 'afpicon2026' }
  const shownLink = await issueLink(testServer.parts().deps, registration)
  expect(await openLink(`/api${new URL(shownLink).pathname}/`)).toBeUndefined()
  const cookie = await openLink(await issueSelfServicePath(first.regNo))
  expect(await submitForm(person, cookie)).toMatchObject({
    code: 409,
    body: { code: 'same_person', reg_no: first.regNo },
  })
  const readEmails = () =>
    testServer.rows(
      "SELECT recipient, subject, body FROM mail_queue WHERE kind = 'same-person' AND recipient = ?",
      person.email,
    )
  expect(readEmails()).toEqual([])
  // The server stops before the email is queued.
  await testServer.restart()
  expect(await testServer.parts().samePersonEmails.run()).toBe(1)
  expect(await testServer.parts().samePersonEmails.run()).toBe(0)
  expect(readEmails()).toMatchObject([
    {
      recipient: person.email,
      subject: 'A second registration for AFPICON 2026 has been started',
      body: expect.stringMatching(
        new RegExp(
          `You are already registered .*${first.regNo}[^]*If this was you, you do not need to pay again. Open your registration:\n{link}`,
        ),
      ),
    },
  ])
})
