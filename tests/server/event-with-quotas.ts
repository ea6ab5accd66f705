/** A small sample event with quotas, a unique field, discount codes and a member list. */
import { buildFixtureEvent } from './small-event.ts'

export const eventWithQuotas = buildFixtureEvent({
  extra: `
quotas:
  - {id: gallery, when: {category: non-member}, max: 1, full: The gallery is full}
unique:
  - {fields: [email], on_duplicate: block, message: This email address is registered already. We have emailed the link to it.}
  - {fields: [full_name, phone_number], on_duplicate: warn, message: A delegate with this name has already registered. Are you registering again?}
codes:
  kinds:
    - {id: faculty, label: Invited faculty, gives: {category: faculty}}
    - {id: coupon, label: Coupon, gives: {adjustment: coupon}}
member_lists:
  society:
    key: number
    columns: {number: text, name: text, kind: [life, annual], valid_to: date}
    shows: [name]
`,
})
  .replace(
    '  - {id: non-member, label: Non-member}\n',
    '  - {id: non-member, label: Non-member}\n  - {id: faculty, label: Faculty, listed_only: true}\n',
  )
  .replace(
    '    non-member: [3000, 4000]\n',
    `    non-member: [3000, 4000]
    faculty:    [free, free]
  adjustments:
    - {id: coupon, label: Coupon, when: {code: coupon}, on: registration, amount: -100}
`,
  )
  .replace(
    '        - {id: letter,',
    `        - {id: number, label: Number, in: society, invalid: This number is not on the member list}
        - {id: letters, type: consent, label: You may write to me, version: 2027-01, link: /letters}
        - id: companions
          type: people
          label: Who is coming with you?
          max: 2
          invalid: Please list two people at most
          fields:
            - {id: name, label: Name, required: Please give the name}
        - {id: letter,`,
  )
