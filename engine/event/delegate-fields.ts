/** Identifies the fields for name, email, phone and council number by their type and usual names. */

export type Role = 'fullName' | 'email' | 'phone' | 'councilNo'
/** Role → id of the field (or of a value stored with the form) that supplies it. Absent if none does. */
export type Roles = { readonly [role in Role]?: string }

type Question = { readonly id: string; readonly type: string }

/**
 * The usual name first, then the type, then similar names; if several fields match, the first of
 * the form.
 */
const ROLE_TESTS: Readonly<Record<Role, readonly ((question: Question) => boolean)[]>> = {
  fullName: [
    ({ id }) => id === 'full_name',
    ({ id }) => id === 'name',
    ({ id, type }) => type === 'text' && id.endsWith('name'),
    ({ type }) => type === 'text',
  ],
  email: [({ type }) => type === 'email', ({ id }) => /(^|_)e?mail(_|$)/.test(id)],
  phone: [
    ({ id }) => id === 'phone_number',
    ({ type }) => type === 'phone',
    ({ id }) => /(^|_)(phone|mobile)(_|$)/.test(id),
  ],
  councilNo: [({ id }) => id.endsWith('_reg_no')],
}

/** Computed once, when an event is compiled, from its fields and the values stored with them. */
export function findRoles(questions: readonly Question[]): Roles {
  return Object.fromEntries(
    Object.entries(ROLE_TESTS).flatMap(([role, candidates]) => {
      const id = candidates
        .map((plays) => questions.find((question) => plays(question))?.id)
        .find((candidate) => candidate !== undefined)
      return id === undefined ? [] : [[role, id]]
    }),
  )
}

/** Returns the delegate's name, email, phone and council number; "" if not asked or not answered. */
export function readDelegate(
  { roles }: { readonly roles: Roles },
  answers: Readonly<Record<string, unknown>>,
): Readonly<Record<Role, string>> {
  const findAnswer = (role: Role): string => {
    const id = roles[role]
    return id !== undefined && Object.hasOwn(answers, id) ? String(answers[id] ?? '') : ''
  }
  return {
    fullName: findAnswer('fullName'),
    email: findAnswer('email'),
    phone: findAnswer('phone'),
    councilNo: findAnswer('councilNo'),
  }
}
