/** Identifies the fields for name, email, phone and council number by their type and usual names. */

export type Role = 'fullName' | 'email' | 'phone' | 'councilNo'
/** The id of the field, or of a value stored with the form, that has each role. Absent if no field has the role. */
export type Roles = { readonly [role in Role]?: string }

type Question = { readonly id: string; readonly type: string }

/**
 * Tests for each role, in order: the usual name, then the type, then similar names. If several
 * fields match, the first in the form counts.
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

/** Finds the field for each role among the fields and the values stored with them. */
export function findRoles(questions: readonly Question[]): Roles {
  return Object.fromEntries(
    Object.entries(ROLE_TESTS).flatMap(([role, candidates]) => {
      const id = candidates
        .map((hasRole) => questions.find((question) => hasRole(question))?.id)
        .find((candidate) => candidate !== undefined)
      return id === undefined ? [] : [[role, id]]
    }),
  )
}

/**
 * Returns the delegate's name, email, phone and council number; "" for a value that the form does not ask for or that
 * was not given.
 */
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
