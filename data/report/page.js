const packed = byId("details").textContent.trim().split("\n");
const unpacked = async (number) => {
  const bytes = Uint8Array.from(atob(packed[number]), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
};
showReport(byId("report"), JSON.parse(byId("overview").textContent), {
  detail: unpacked, why: async (number, line) => (await unpacked(number)).why?.[line],
});
