/** The codes that an authenticator app shows, by RFC 6238 and RFC 4648. */
import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code of an `otpauth:` address at a time in milliseconds. */
export function codeOf(address: string, now = Date.now()): string {
  const { searchParams } = new URL(address)
  const bits = [...searchParams.get('secret')!.replace(/=+$/, '')]
    .map(letter => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 1000 / Number(searchParams.get('period') ?? 30))))
  const mac = createHmac((searchParams.get('algorithm') ?? 'SHA1').toLowerCase(), key)
    .update(counter)
    .digest()
  const digits = Number(searchParams.get('digits') ?? 6)
  const number = mac.readUInt32BE(mac[mac.length - 1]! & 0xf) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** A code that none of the times around now has. */
export function wrongCode(address: string): string {
  const right = [-60_000, -30_000, 0, 30_000, 60_000].map(off => codeOf(address, Date.now() + off))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find(code => !right.includes(code))!
}
