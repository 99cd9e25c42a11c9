// How moments are written for people, in the time of whoever reads them. By hand: the first use of a locale is slow.

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY = 86_400_000;

/** `14:00` within a day, else `Mon 23 Nov, 14:00`. */
export function momentText(at: number, now = Date.now()): string {
  const moment = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  const time = `${two(moment.getHours())}:${two(moment.getMinutes())}`;
  if (Math.abs(at - now) < DAY) return time;
  return `${DAYS[moment.getDay()]} ${moment.getDate()} ${MONTHS[moment.getMonth()]}, ${time}`;
}
