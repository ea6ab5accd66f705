/** What is wrong with registrations, seats, payments and emails after faults, as the office and the mail server see it. */
import { parse } from 'csv-parse/sync'
import type { Mail } from '../browser/inbox.ts'
import { FAULT_EVENT, SEATS } from './fault-clients.ts'
import type { Told } from './fault-clients.ts'

type Row = Readonly<Record<string, string>>
type Details = {
  readonly payments: readonly {
    readonly status: string
    readonly facts: readonly { readonly type: string }[]
  }[]
  readonly mails: readonly { readonly subject: string }[]
}
type Stats = {
  readonly total_registrations: number
  readonly paid_registrations: number
  readonly total_revenue: number
}
export type Checked = {
  /** Sentences; none is right. */
  readonly wrong: readonly string[]
  readonly registered: number
  readonly paid: number
}

const COLUMNS = {
  number: 'Registration Number',
  email: 'Email Address',
  category: 'Category',
  status: 'Payment Status',
  paid: 'Amount paid',
  total: 'Total Amount',
}
const DETAILS_AT_ONCE = 4

export async function checkOverHttp(
  url: string,
  password: string,
  told: Told,
  mails: readonly Mail[],
): Promise<Checked> {
  const headers = await signIn(url, password)
  const get = async (path: string): Promise<string> => {
    const answer = await fetch(`${url}${path}`, { headers })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`)
    return text
  }
  const rows = parse(await get(`/admin/export/?event_type=${FAULT_EVENT}`), {
    columns: true,
    bom: true,
  }) as readonly Row[]
  const cell = (row: Row | undefined, name: keyof typeof COLUMNS): string =>
    row?.[COLUMNS[name]] ?? ''
  const paidRows = rows.filter((row) => cell(row, 'status') === 'Paid')
  const wrong = [...told.wrong]

  for (const [email, regNo] of told.registered) {
    const found = rows.filter((row) => cell(row, 'number') === regNo)
    if (found.length !== 1) wrong.push(`${regNo} of ${email} is there ${found.length} times`)
    else if (cell(found[0], 'email') !== email) wrong.push(`${regNo} is not of ${email}`)
  }
  for (const email of findRepeated(rows.map((row) => cell(row, 'email'))))
    wrong.push(`${email} is registered twice`)

  const seated = rows.filter((row) => cell(row, 'category') === 'Member').length
  if (seated > SEATS) wrong.push(`${seated} have one of ${SEATS} seats`)
  if (seated === 0) wrong.push('nobody has a seat: the list is not read as it should be')

  const paidNumbers = new Set(paidRows.map((row) => cell(row, 'number')))
  for (const regNo of told.paid)
    if (!paidNumbers.has(regNo)) wrong.push(`${regNo} was shown as paid, and is not`)
  for (const row of paidRows)
    if (cell(row, 'paid') !== cell(row, 'total'))
      wrong.push(`${cell(row, 'number')} paid ${cell(row, 'paid')} of ${cell(row, 'total')}`)

  const dashboard = JSON.parse(await get('/admin/dashboard/stats/')) as {
    readonly data: Readonly<Record<string, Stats>>
  }
  const stats = dashboard.data[`${FAULT_EVENT}_stats`]
  const sum = paidRows.reduce((total, row) => total + Number(cell(row, 'total')), 0)
  const counted = [rows.length, paidRows.length, sum]
  const shown = [stats?.total_registrations, stats?.paid_registrations, stats?.total_revenue]
  if (shown.join() !== counted.join())
    wrong.push(`the dashboard has ${shown.join(', ')}, the list ${counted.join(', ')}`)
  const reviews = JSON.parse(await get('/admin/reviews/')) as { readonly count: number }
  if (reviews.count > 0) wrong.push(`${reviews.count} payments are in review`)

  const left = [...paidNumbers]
  const checkDetails = async (): Promise<void> => {
    for (let regNo = left.pop(); regNo !== undefined; regNo = left.pop())
      wrong.push(...findWrongDetails(regNo, await get(`/admin/registrations/${regNo}/`)))
  }
  await Promise.all(Array.from({ length: DETAILS_AT_ONCE }, checkDetails))

  const sent = mails.map(({ to, text }) => `${to}: ${/^Subject: .*$/m.exec(text)?.[0] ?? ''}`)
  if (sent.some((mail) => mail.endsWith(': '))) wrong.push('an email has no subject')
  for (const mail of findRepeated(sent)) wrong.push(`an email was sent twice to ${mail}`)
  return { wrong, registered: rows.length, paid: paidRows.length }
}

function findWrongDetails(regNo: string, text: string): readonly string[] {
  const { payments, mails } = JSON.parse(text) as Details
  const wrong: string[] = []
  const successes = payments.filter(({ status }) => status === 'success').length
  if (successes !== 1) wrong.push(`${regNo} has ${successes} payments that succeeded`)
  const confirmed = payments
    .flatMap(({ facts }) => facts)
    .filter(({ type }) => type === 'confirmed').length
  if (confirmed !== 1) wrong.push(`${regNo} has its payment confirmed ${confirmed} times`)
  if (mails.length !== 1) wrong.push(`${regNo} has ${mails.length} emails in the queue`)
  return wrong
}

function findRepeated(values: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const value of values) (seen.has(value) ? repeated : seen).add(value)
  return repeated
}

async function signIn(url: string, password: string): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(`${url}/admin/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  })
  const { token } = (await answer.json()) as { readonly token?: string }
  if (token === undefined) throw new Error(`nobody is signed in: ${answer.status}`)
  return { authorization: `Bearer ${token}` }
}
