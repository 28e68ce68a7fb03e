// Sends what a person wants to the server, and returns its answer; null after a fault, of which it tells.
export async function post(address, wish, tell) {
  tell("");
  try {
    const answer = await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(wish) });
    const data = await answer.json();
    if (answer.ok) return data;
    tell(data.error);
  } catch {
    tell("The server does not answer.");
  }
  return null;
}
