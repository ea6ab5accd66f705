/** A small sample event whose price, examples and payment a test can set. */
export type FixtureOptions = {
  readonly id?: string
  readonly prefix?: string
  /** The price in the first period, in rupees. `total` includes tax; the file's example expects it. */
  readonly price?: number
  readonly total?: number
  readonly title?: string
  readonly payment?: 'airpay' | 'none'
  readonly extra?: string
}

export function buildFixtureEvent(options: FixtureOptions = {}): string {
  const {
    id = 'sample2026',
    prefix = 'SMPL',
    price = 1000,
    total = 1180,
    title = 'Sample 2026',
    payment = 'airpay',
    extra = '',
  } = options
  return `format: 1

event:
  id: ${id}
  title: ${title}
  about: A conference made up for tests
  from: 2026-03-01
  to: 2026-03-02
  venue: Town Hall
  status: open
  support: support@sample.example

routes:
  form: /${id}
  success: /${id}/payment/success
  failed: /${id}/payment/failed

categories:
  - {id: member, label: Member}
  - {id: non-member, label: Non-member}

category:
  rules:
    - {when: {is_member: true}, then: member}
    - {otherwise: non-member}

fees:
  tax: {name: GST, percent: 18, prices: exclusive}
  periods:
    - {id: early, from: 2026-01-01, to: 2026-01-31}
    - {id: late, from: 2026-02-01, to: 2026-02-28}
  other_dates: closed
  prices:
    period:     [early, late]
    member:     ${payment === 'none' ? '[free, free]' : `[${price}, 2000]`}
    non-member: ${payment === 'none' ? '[free, free]' : '[3000, 4000]'}

form:
  sections:
    - title: Registration
      fields:
        - {id: full_name, label: Full Name, required: Full name is required}
        - {id: email, type: email, label: Email Address, required: Email address is required}
        - {id: phone_number, type: phone, label: Phone Number, check: false, required: Phone number is required}
        - {id: is_member, type: yes-no, label: Member, default: false}
        - {id: letter, type: file, label: Letter, accept: [pdf]}
  summary:
    lines: [base, gst, total]
  notices: snackbar

closed:
  heading: Registration Closed
  text: Registration for ${title} is closed.

order_id:
  prefix: ${prefix}
  followed_by: digits

payment: ${payment === 'none' ? 'none' : '{gateway: airpay, account: sample}'}

results:
  success:
    title: Registration Confirmed
    details: [reg_no, full_name, total]
  failed:
    title: Payment Failed
    details: [order_id, amount]

email:
  subject: "{event.title}: {reg_no}"
  text: |
    Dear {full_name}, you are registered as {category}.
${extra}
examples:
  delegate: {full_name: Test Delegate, email: delegate@sample.example, phone_number: "9876543210", is_member: true}
  cases:
    - name: a member pays the early price
      on: 2026-01-10
      expect: {category: member, period: early, total: ${payment === 'none' ? 0 : total}}
`
}

/** An approval rule for files whose members upload a letter: staff check the letter before payment. */
export const APPROVAL_RULE = `
approval:
  - id: letter
    when: {category: member}
    documents: [letter]
    decide_within: 2 days
    pay_within: 7 days
    if_refused: {offer: non-member, message: You are welcome as a non-member.}
`

/** Adds a letter that members upload to the form and the examples of an event file. */
export const addMemberLetter = (file: string, label = 'Letter'): string =>
  file
    .replace('is_member: true}\n  cases', 'is_member: true, letter: letter.pdf}\n  cases')
    .replace(
      'label: Letter, accept: [pdf]',
      `label: ${label}, accept: [pdf], show_when: {is_member: true}, required: Please add the letter`,
    )

export const fixtureDelegate = {
  full_name: 'Test Delegate',
  email: 'delegate@sample.example',
  phone_number: '9876543210',
  is_member: 'true',
}

/** Adds an office list to an event file of tests/events. */
export const addOfficeList = (eventFile: string, id: string): string =>
  eventFile.replace(
    'examples:\n',
    `admin:
  lists:
    - {id: ${id}, title: Registrations, route: /admin/${id}, filters: [search], columns: [reg_no, full_name, total]}
examples:
`,
  )

/** Adds tax invoices of an Indian society to dunecon2027, whose foreign delegates pay in dollars. */
export const addInvoices = (eventFile: string): string =>
  eventFile.replace(
    'examples:\n',
    `invoice:
  supplier: DuneCon Society
  address: 1 Dune Road, Jaisalmer 345001
  gstin: 08AAAAA0000A1Z2
  sac: 998596
  place_of_supply: Rajasthan
  number: "DUNE/{year}/{n}"
examples:
`,
  )

/** Builds two event files that share one merchant account. */
export const buildTwoEventsOfOneAccount = (): Readonly<Record<string, string>> => ({
  'sample2026.yaml': buildFixtureEvent(),
  'other2026.yaml': buildFixtureEvent()
    .replaceAll('sample2026', 'other2026')
    .replaceAll('SMPL', 'OTHR')
    .replaceAll('/sample', '/other'),
})
