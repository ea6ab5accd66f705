/** Finds files that look like event files but are ignored, and explains why. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** What programs add to a name: Notepad's `.txt`, a copy, a backup. */
const MEANT = /^(?<id>[a-z][a-z0-9 _-]*?)\.ya?ml(?<more>[^/]*)$/i
/** Documents, and files without an extension, that are named like an event: a name and a year. */
const LIKE_AN_EVENT =
  /^(?<id>[a-z]+[ _-]?20\d\d)(?<more>|\.(?:docx?|rtf|odt|txt|pages|html?|json|ya?m|yalm|ymal|yamll?|yanl|yml?l|csv|xlsx?|pdf))$/i
/** Extensions of copies that a user or an editor keeps beside the file on purpose. */
const KEPT_BESIDE = /^(\.(bak|old|orig|save|swp|backup)|~)\d*$/i

/** Returns a sentence for each, in order of name. A backup beside the file itself is not a mistake. */
export async function unreadIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => !name.startsWith('.') && !/\.ya?ml$/.test(name))
    .sort()
    .flatMap((name) => {
      const found = (MEANT.exec(name) ?? LIKE_AN_EVENT.exec(name))?.groups
      if (found === undefined) return []
      const id = (found['id'] ?? '').toLowerCase().replace(/[^a-z0-9]/g, '')
      const more = found['more'] ?? ''
      const right = `${id}.yaml`
      const stands = names.some((other) => other === right || other === `${id}.yml`)
      const isMeant = MEANT.test(name)
      if (stands && (KEPT_BESIDE.test(more) || !isMeant)) return []
      const why =
        isMeant && more === ''
          ? 'its ending must be .yaml in small letters'
          : /^\.(docx?|rtf|odt|pages|pdf|xlsx?|html?)$/i.test(more)
            ? `an event file is a plain text and ends in .yaml, not in ${more}`
            : more === ''
              ? 'it has no ending'
              : `its name ends in ${/[^.]*$/.exec(more)?.[0] === more ? more : more.slice(more.lastIndexOf('.'))}, not in .yaml`
      const what = /^\.(docx?|rtf|odt|pages|pdf|xlsx?|html?|csv)$/i.test(more)
        ? `save its text as ${right}`
        : stands
          ? `only ${right} is read; put the changes there`
          : `rename it to ${right}`
      return [
        `${path.join(folder, name)} is not read: ${why}. ${what[0]?.toUpperCase()}${what.slice(1)}.`,
      ]
    })
}
